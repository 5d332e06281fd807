// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Signs in the scene: frames, centres of mass and of buoyancy, points, what may touch, instant centres, ellipsoids.

import {
  BoxGeometry,
  BufferGeometry,
  CanvasTexture,
  ConeGeometry,
  DoubleSide,
  Group,
  LineBasicMaterial,
  LineLoop,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Object3D,
  SphereGeometry,
  SRGBColorSpace,
  TorusGeometry,
  Vector3,
} from "three";
import type { Contact } from "../scene/types";
import { capsule, cylinder, place, vector } from "./geometry";

const axisColors = ["#d55e00", "#009e73", "#0072b2"];

// Seen through bodies: what is inside one should still be found.
function onTop(object: Object3D): Object3D {
  object.traverse((part) => {
    if (!(part instanceof Mesh)) return;
    part.renderOrder = 10;
    for (const material of [part.material].flat() as MeshStandardMaterial[]) {
      material.depthTest = false;
      material.transparent = true;
    }
  });
  return object;
}

export function drawFrame(size: number): Object3D {
  const group = new Group();
  axisColors.forEach((color, axis) => {
    const material = new MeshBasicMaterial({ color });
    const arm = new Group();
    arm.add(new Mesh(cylinder(0.03 * size, size, 10).translate(0, 0, size / 2), material));
    arm.add(
      new Mesh(new ConeGeometry(0.09 * size, 0.25 * size, 16).rotateX(Math.PI / 2).translate(0, 0, size), material),
    );
    if (axis === 0) arm.rotation.y = Math.PI / 2;
    if (axis === 1) arm.rotation.x = -Math.PI / 2;
    group.add(arm);
  });
  return onTop(group);
}

// The sign for a centre of mass: a ball in quarters.
function quarters(dark: string, light: string): CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = 128;
  canvas.height = 64;
  const context = canvas.getContext("2d")!;
  for (let i = 0; i < 4; ++i)
    for (let j = 0; j < 2; ++j) {
      context.fillStyle = (i + j) % 2 === 0 ? dark : light;
      context.fillRect(32 * i, 32 * j, 32, 32);
    }
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return texture;
}
const texturesOf = new Map<string, CanvasTexture>();

export function drawCentre(kind: "mass" | "buoyancy", size: number): Object3D {
  const dark = kind === "mass" ? "#111417" : "#0072b2";
  if (!texturesOf.has(kind)) texturesOf.set(kind, quarters(dark, "#ffffff"));
  const ball = new Mesh(new SphereGeometry(size, 24, 16), new MeshBasicMaterial({ map: texturesOf.get(kind)! }));
  ball.rotation.x = Math.PI / 2;
  return onTop(new Group().add(ball));
}

export function drawPoint(size: number, color: string): Mesh {
  const ball = new Mesh(new SphereGeometry(size, 20, 14), new MeshStandardMaterial({ color, roughness: 0.5 }));
  ball.castShadow = true;
  return ball;
}

export function drawInstantCentre(size: number, color: string): Object3D {
  const group = new Group();
  const material = new MeshBasicMaterial({ color });
  group.add(new Mesh(new TorusGeometry(size, 0.16 * size, 10, 32), material));
  group.add(new Mesh(cylinder(0.12 * size, 3.2 * size, 8).rotateX(Math.PI / 2), material));
  group.add(new Mesh(cylinder(0.12 * size, 3.2 * size, 8).rotateY(Math.PI / 2), material));
  return onTop(group);
}

export function drawContact(contact: Contact, size: number): Object3D {
  const material = new MeshBasicMaterial({ color: "#cc79a7", wireframe: true, transparent: true, opacity: 0.65 });
  const group = new Group();
  const add = (geometry: BufferGeometry) => group.add(new Mesh(geometry, material));
  const radius = contact.radius ?? size;
  if (contact.kind === "points") {
    for (const p of contact.points ?? [])
      group.add(drawPoint(size, "#cc79a7").translateX(p[0]).translateY(p[1]).translateZ(p[2]));
    return group;
  }
  if (contact.kind === "sphere") add(new SphereGeometry(radius, 16, 10));
  if (contact.kind === "wheel") add(new TorusGeometry(radius, 0.05 * radius, 8, 40));
  if (contact.kind === "box") add(new BoxGeometry(...(contact.size ?? [1, 1, 1])));
  if (contact.kind === "capsule") add(capsule(radius, contact.length ?? 0));
  if (contact.pose) place(group, contact.pose);
  return group;
}

// A ball that is pulled to three half axes, with the ellipses between them.
export class EllipsoidMark {
  readonly group = new Group();

  constructor(color: string) {
    const skin = new MeshStandardMaterial({
      color,
      transparent: true,
      opacity: 0.22,
      roughness: 0.4,
      side: DoubleSide,
      depthWrite: false,
    });
    const ball = new Mesh(new SphereGeometry(1, 40, 28), skin);
    ball.renderOrder = 6;
    this.group.add(ball);
    const ring = new BufferGeometry().setFromPoints(
      Array.from({ length: 72 }, (_, i) => new Vector3(Math.cos((i * Math.PI) / 36), Math.sin((i * Math.PI) / 36), 0)),
    );
    const line = new LineBasicMaterial({ color });
    for (const turn of [
      [0, 0],
      [Math.PI / 2, 0],
      [0, Math.PI / 2],
    ]) {
      const loop = new LineLoop(ring, line);
      loop.rotation.set(turn[0], turn[1], 0);
      this.group.add(loop);
    }
    this.group.matrixAutoUpdate = false;
  }

  // Half axes in m of W, nine numbers.
  set(at: Vector3, axes: ArrayLike<number>): void {
    const [a, b, c] = [0, 3, 6].map((i) => vector(axes, i));
    this.group.visible = Number.isFinite(at.x + a.x + b.x + c.x);
    if (this.group.visible) this.group.matrix.copy(new Matrix4().makeBasis(a, b, c).setPosition(at));
    this.group.matrixWorldNeedsUpdate = true;
  }
}
