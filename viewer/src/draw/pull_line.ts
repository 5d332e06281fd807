// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The line by which a body is pulled, from its point to where the pointer is.

import { Mesh, MeshBasicMaterial, SphereGeometry, Vector3 } from "three";
import { pointInWorld } from "./connections";
import { between, cylinder } from "./geometry";
import type { World } from "./world";

export class PullLine {
  private readonly rod: Mesh;
  private readonly end: Mesh;
  private body = -1;
  private readonly point = new Vector3();
  private readonly target = new Vector3();

  constructor(private readonly world: World) {
    const material = new MeshBasicMaterial({ color: "#d55e00", depthTest: false, transparent: true });
    this.rod = new Mesh(cylinder(1, 1, 12).translate(0, 0, 0.5), material);
    this.end = new Mesh(new SphereGeometry(0.02 * world.extent.radius, 16, 12), material);
    this.rod.renderOrder = this.end.renderOrder = 20;
    this.hide();
    world.stage.root.add(this.rod, this.end);
    world.onUpdate(() => this.apply());
  }

  show(body: number, point: Vector3, target: Vector3): void {
    this.body = body;
    this.point.copy(point);
    this.rod.visible = this.end.visible = true;
    this.move(target);
  }
  move(target: Vector3): void {
    this.target.copy(target);
    this.apply();
    this.world.stage.draw();
  }
  hide(): void {
    this.rod.visible = this.end.visible = false;
    this.world.stage.draw();
  }

  private apply(): void {
    if (!this.rod.visible) return;
    between(
      this.rod,
      pointInWorld(this.world.poses, this.body, this.point),
      this.target,
      0.006 * this.world.extent.radius,
    );
    this.end.position.copy(this.target);
  }
}
