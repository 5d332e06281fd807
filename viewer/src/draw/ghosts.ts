// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Faint copies of the bodies: at other positions of the series, at positions that the scene gives, or moving as a second recording does.

import { Group, InstancedMesh, LineSegments, Matrix4, Mesh, MeshStandardMaterial, Object3D } from "three";
import type { Loaded } from "../scene/bundle";
import { FixedSamples, type Poses, type PoseTrack, type Samples } from "../scene/samples";
import type { Ghost } from "../scene/types";
import { matrixOf, place } from "./geometry";

export function ghostMaterial(color: string, opacity: number): MeshStandardMaterial {
  return new MeshStandardMaterial({ color, transparent: true, opacity, roughness: 0.8, depthWrite: false });
}

// A copy of everything that is solid in a body, in one material.
function ghostOf(body: Object3D, material: MeshStandardMaterial): Object3D {
  const copy = body.clone();
  const lines: Object3D[] = [];
  copy.traverse((part) => {
    if (part instanceof LineSegments) lines.push(part);
    part.castShadow = part.receiveShadow = false;
    if (part instanceof Mesh) {
      part.material = material;
      part.renderOrder = 2;
    }
  });
  for (const line of lines) line.removeFromParent();
  return copy;
}

// The channels and poses of a second recording, as those of the scene.
export function samplesOfGhost(ghost: Ghost, loaded: Loaded, axisUnit: string): Samples | null {
  if (Array.isArray(ghost.poses) || !ghost.axis) return null;
  const axis = { name: "", unit: axisUnit, values: ghost.axis };
  return new FixedSamples(loaded, axis, ghost.poses, ghost.channels ?? [], loaded.scene.bodies, []);
}

export class GhostCopy {
  readonly group = new Group();
  private readonly track: PoseTrack | null;
  private readonly poses: Poses;
  private readonly copies: Object3D[];

  constructor(
    ghost: Ghost,
    readonly samples: Samples | null,
    bodies: Object3D[],
    color: string,
  ) {
    const material = ghostMaterial(ghost.color ?? color, 0.3);
    this.copies = bodies.map((body) => ghostOf(body, material));
    this.group.add(...this.copies);
    this.track = samples?.poses ?? null;
    this.poses = Float64Array.from(Array.isArray(ghost.poses) ? ghost.poses : new Float64Array(7 * bodies.length));
    this.apply();
  }

  update(x: number): void {
    if (!this.track) return;
    this.track.read(x, this.poses);
    this.apply();
  }

  private apply(): void {
    this.copies.forEach((copy, i) => {
      copy.visible = Number.isFinite(this.poses[7 * i] + this.poses[7 * i + 3]);
      if (copy.visible) place(copy, this.poses, 7 * i);
    });
  }
}

// All bodies at a number of positions of the series, at equal steps.
export class Positions {
  readonly group = new Group();

  constructor(
    private readonly bodies: Object3D[],
    private readonly samples: Samples,
    private readonly material: MeshStandardMaterial,
  ) {}

  set(count: number, from: number, to: number): void {
    for (const old of [...this.group.children]) (old as InstancedMesh).dispose();
    this.group.clear();
    const poses: Poses = new Float64Array(7 * this.bodies.length);
    const at = Array.from({ length: count }, (_, i) => {
      this.samples.poses.read(from + ((to - from) * (i + 0.5)) / count, poses);
      return Float64Array.from(poses);
    });
    this.bodies.forEach((body, b) => {
      body.updateWorldMatrix(true, true);
      const toBody = body.matrixWorld.clone().invert();
      body.traverse((part) => {
        if (!(part instanceof Mesh)) return;
        const inBody = toBody.clone().multiply(part.matrixWorld);
        const copies = new InstancedMesh(part.geometry, this.material, count);
        copies.frustumCulled = false;
        copies.renderOrder = 1;
        at.forEach((p, i) => {
          const there = Number.isFinite(p[7 * b] + p[7 * b + 3]);
          copies.setMatrixAt(i, there ? matrixOf(p, 7 * b).multiply(inBody) : new Matrix4().makeScale(0, 0, 0));
        });
        this.group.add(copies);
      });
    });
  }
}
