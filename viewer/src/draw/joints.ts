// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Symbols of joints: pins, sleeves on their guides, balls, crosses; and brackets where a joint is fixed to the ground. Guides are as long as
// what slides on them travels.

import {
  BoxGeometry,
  BufferGeometry,
  Group,
  LineBasicMaterial,
  Line,
  Mesh,
  MeshStandardMaterial,
  OctahedronGeometry,
  PlaneGeometry,
  SphereGeometry,
  TorusGeometry,
  Vector2,
  Vector3,
  type Material,
} from "three";
import type { Joint } from "../scene/types";
import { cylinder, plate, roundedHull } from "./geometry";

export interface JointParts {
  atFirst: Group; // in F, carried by the first body
  atSecond: Group; // in M, carried by the second
}
export interface JointStyle {
  size: number; // radius of a pin, m
  depth: number; // how far a pin reaches each way
  travel: [number, number]; // of M's origin along F's z axis over all samples
  guided: boolean; // the first body has a rod along the axis: no other guide is drawn
  metal: Material;
  accent: Material;
}

export function drawJoint(joint: Joint, style: JointStyle): JointParts {
  const parts = { atFirst: new Group(), atSecond: new Group() };
  const { size: s, metal, accent } = style;
  const add = (group: Group, geometry: BufferGeometry, material: Material) => {
    const mesh = new Mesh(geometry, material);
    mesh.castShadow = mesh.receiveShadow = true;
    group.add(mesh);
    return mesh;
  };
  const pin = (length: number) => {
    add(parts.atFirst, cylinder(s, length), metal);
    for (const side of [-1, 1])
      add(parts.atFirst, cylinder(s * 0.45, s * 0.12, 24), accent).position.z = (side * length) / 2;
  };
  switch (joint.kind) {
    case "revolute":
      pin(2 * style.depth);
      break;
    case "prismatic":
      add(parts.atSecond, new BoxGeometry(2.6 * s, 2.6 * s, 4.4 * s), metal);
      if (!style.guided) parts.atFirst.add(guide(style, accent, s * 0.55));
      break;
    case "cylindrical":
      add(parts.atSecond, cylinder(1.5 * s, 4.4 * s), metal);
      if (!style.guided) parts.atFirst.add(guide(style, accent, s * 0.7));
      break;
    case "helical":
      add(parts.atSecond, new TorusGeometry(1.2 * s, 0.55 * s, 6, 6), metal); // a nut
      parts.atFirst.add(guide(style, accent, s * 0.7), thread(style));
      break;
    case "spherical":
      add(parts.atFirst, new SphereGeometry(1.35 * s, 32, 20), metal);
      add(parts.atSecond, new TorusGeometry(1.5 * s, 0.22 * s, 10, 40), accent);
      break;
    case "universal":
      add(parts.atFirst, cylinder(0.55 * s, 4 * s, 24).rotateY(Math.PI / 2), metal);
      add(parts.atSecond, cylinder(0.55 * s, 4 * s, 24).rotateX(Math.PI / 2), accent);
      break;
    case "planar":
      add(parts.atFirst, new PlaneGeometry(12 * s, 12 * s), seeThrough(metal));
      add(parts.atSecond, cylinder(1.5 * s, 0.6 * s), metal);
      break;
    case "fixed":
      add(parts.atFirst, new BoxGeometry(1.6 * s, 1.6 * s, 1.6 * s), metal);
      break;
    case "custom":
      add(parts.atFirst, new OctahedronGeometry(1.6 * s), metal);
      break;
    case "free":
      break;
  }
  return parts;
}

function guide(style: JointStyle, material: Material, radius: number): Mesh {
  const [from, to] = style.travel;
  const reach = Math.max(6 * style.size, 0.12 * (to - from));
  const mesh = new Mesh(cylinder(radius, to - from + 2 * reach, 24), material);
  mesh.position.z = (from + to) / 2;
  mesh.castShadow = true;
  return mesh;
}

function thread(style: JointStyle): Line {
  const [from, to] = style.travel;
  const low = from - 6 * style.size;
  const length = to - from + 12 * style.size;
  const points = Array.from({ length: 400 }, (_, i) => {
    const z = low + (length * i) / 399;
    const angle = (z / style.size) * 4;
    return new Vector3(0.75 * style.size * Math.cos(angle), 0.75 * style.size * Math.sin(angle), z);
  });
  return new Line(new BufferGeometry().setFromPoints(points), new LineBasicMaterial({ color: 0x222222 }));
}

function seeThrough(material: Material): Material {
  const copy = (material as MeshStandardMaterial).clone();
  Object.assign(copy, { transparent: true, opacity: 0.3, side: 2, depthWrite: false });
  return copy;
}

// What holds a pin at the ground: a plate that widens downwards onto a foot, in F's axes. `down` is against `up`, in F.
export function drawBracket(style: JointStyle, down: Vector3, backwards: number): Group {
  const group = new Group();
  const { size: s, metal } = style;
  const add = (geometry: BufferGeometry) => {
    const mesh = new Mesh(geometry, metal);
    mesh.castShadow = mesh.receiveShadow = true;
    group.add(mesh);
  };
  const level = new Vector2(down.x, down.y);
  if (level.length() > 0.7) {
    const y = level.normalize();
    const x = new Vector2(-y.y, y.x);
    const at = (a: number, b: number) => new Vector2(a * x.x + b * y.x, a * x.y + b * y.y).multiplyScalar(s);
    const z = -backwards * (style.depth - 0.35 * s);
    add(plate(roundedHull([at(0, 0), at(-2.1, 3.2), at(2.1, 3.2)], 1.15 * s), 0.7 * s, 0.1 * s).translate(0, 0, z));
    add(plate(roundedHull([at(-3.6, 4.5), at(3.6, 4.5)], 0.42 * s), 2 * style.depth, 0.08 * s));
  } else {
    add(cylinder(2.4 * s, 0.8 * s).translate(0, 0, Math.sign(down.z || -1) * style.depth));
  }
  return group;
}
