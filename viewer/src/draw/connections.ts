// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What connects bodies besides joints: springs and dampers, rods of constraints, slots and cams, pitch circles of gears.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CatmullRomCurve3,
  Group,
  Line,
  LineBasicMaterial,
  LineLoop,
  Mesh,
  MeshBasicMaterial,
  Object3D,
  PlaneGeometry,
  SphereGeometry,
  TorusGeometry,
  TubeGeometry,
  Vector3,
  type Material,
} from "three";
import type { Poses } from "../scene/samples";
import type { Constraint, Coupling, Joint, Scene, Spring, Vec3 } from "../scene/types";
import { between, cylinder, matrixOf, originOf, place, vector } from "./geometry";

// Where a point of a body is in W; body −1 is the ground.
export function pointInWorld(poses: Poses, body: number, p: Vector3): Vector3 {
  return body < 0 ? p.clone() : p.clone().applyMatrix4(matrixOf(poses, 7 * body));
}

export interface Connection {
  object: Object3D; // in W, or in a body where `body` says so
  body?: number;
  update?: (poses: Poses) => void;
}

export interface ConnectionStyle {
  size: number; // as of joints, m
  metal: Material;
  accent: Material;
  line: LineBasicMaterial;
}

// A coil of round wire from the origin along z. It is bent anew for each length, so that the wire keeps its thickness.
class Coil {
  readonly geometry = new BufferGeometry();
  private static readonly turns = 9;
  private static readonly rings = Coil.turns * 18;
  private static readonly sides = 8;

  constructor(
    private readonly radius: number,
    private readonly wire: number,
  ) {
    const { rings, sides } = Coil;
    const count = (rings + 1) * sides;
    for (const name of ["position", "normal"])
      this.geometry.setAttribute(name, new BufferAttribute(new Float32Array(3 * count), 3));
    const index: number[] = [];
    for (let i = 0; i < rings; ++i)
      for (let k = 0; k < sides; ++k) {
        const [a, b] = [i * sides + k, i * sides + ((k + 1) % sides)];
        index.push(a, b, a + sides, b, b + sides, a + sides);
      }
    this.geometry.setIndex(index);
  }

  bend(length: number): void {
    const { rings, sides, turns } = Coil;
    const position = this.geometry.getAttribute("position");
    const normal = this.geometry.getAttribute("normal");
    for (let i = 0; i <= rings; ++i) {
      const share = i / rings;
      const angle = share * turns * 2 * Math.PI;
      // The ends wind into the middle.
      const r = this.radius * Math.min(1, 8 * share, 8 * (1 - share));
      for (let k = 0; k < sides; ++k) {
        const [outward, along] = [Math.cos((2 * Math.PI * k) / sides), Math.sin((2 * Math.PI * k) / sides)];
        const [x, y] = [Math.cos(angle), Math.sin(angle)];
        const at = i * sides + k;
        normal.setXYZ(at, outward * x, outward * y, along);
        position.setXYZ(
          at,
          (r + this.wire * outward) * x,
          (r + this.wire * outward) * y,
          share * length + this.wire * along,
        );
      }
    }
    position.needsUpdate = normal.needsUpdate = true;
    this.geometry.computeBoundingSphere();
  }
}

export function drawSpring(spring: Spring, style: ConnectionStyle): Connection {
  const s = style.size;
  const a = vector(spring.p_first);
  const b = vector(spring.p_second);
  if (spring.kind === "bushing") {
    const block = new Mesh(new BoxGeometry(2.4 * s, 2.4 * s, 2.4 * s), style.accent);
    block.position.copy(a);
    return { object: block, body: spring.first };
  }
  const ends = (poses: Poses): [Vector3, Vector3] => [
    pointInWorld(poses, spring.first, a),
    pointInWorld(poses, spring.second, b),
  ];
  const holder = new Group();
  if (spring.kind === "spring") {
    const coil = new Coil(1.7 * s, 0.3 * s);
    holder.add(new Mesh(coil.geometry, style.accent));
    holder.children[0].castShadow = true;
    const update = (poses: Poses) => {
      const [from, to] = ends(poses);
      between(holder, from, to);
      holder.scale.set(1, 1, 1);
      coil.bend(from.distanceTo(to));
    };
    return { object: holder, update };
  }
  holder.add(new Mesh(cylinder(0.35, 1, 20).translate(0, 0, 0.5), style.accent));
  holder.add(new Mesh(cylinder(0.8, 0.5, 28).translate(0, 0, 0.28), style.metal));
  holder.traverse((part) => (part.castShadow = true));
  return { object: holder, update: (poses) => between(holder, ...ends(poses), 1.7 * s) };
}

function circle(radius: number, material: LineBasicMaterial): Object3D {
  const points = Array.from({ length: 96 }, (_, i) => {
    const angle = (i / 96) * 2 * Math.PI;
    return new Vector3(radius * Math.cos(angle), radius * Math.sin(angle), 0);
  });
  const group = new Group().add(new LineLoop(new BufferGeometry().setFromPoints(points), material));
  group.add(new Line(new BufferGeometry().setFromPoints([new Vector3(), points[0]]), material));
  return group;
}

// A flat ring that rolls or gears, with a spoke to see it turn.
function wheel(radius: number, style: ConnectionStyle): Object3D {
  const ring = new Mesh(new TorusGeometry(radius, Math.min(style.size * 0.3, radius * 0.1), 10, 80), style.accent);
  ring.castShadow = true;
  return new Group().add(ring, circle(radius, style.line));
}

export function drawConstraint(constraint: Constraint, style: ConnectionStyle): Connection[] {
  const { first, second } = constraint;
  const inFirst = (object: Object3D): Connection => {
    place(object, constraint.pose_first);
    return { object, body: first };
  };
  const inSecond = (object: Object3D): Connection => {
    place(object, constraint.pose_second);
    return { object, body: second };
  };
  const follower = () => inSecond(new Mesh(new SphereGeometry(style.size, 24, 16), style.metal));
  const reach = 14 * style.size;
  switch (constraint.kind) {
    case "distance": {
      const rod = new Mesh(cylinder(1, 1, 24).translate(0, 0, 0.5), style.metal);
      rod.castShadow = true;
      const a = originOf(constraint.pose_first);
      const b = originOf(constraint.pose_second);
      const update = (poses: Poses) =>
        between(rod, pointInWorld(poses, first, a), pointInWorld(poses, second, b), 0.55 * style.size);
      return [{ object: rod, update }];
    }
    case "point_on_line":
      return [inFirst(new Mesh(cylinder(0.3 * style.size, 2 * reach, 16), style.accent)), follower()];
    case "point_on_plane": {
      const sheet = new MeshBasicMaterial({
        color: 0x7f8c99,
        transparent: true,
        opacity: 0.2,
        side: 2,
        depthWrite: false,
      });
      return [inFirst(new Mesh(new PlaneGeometry(2 * reach, 2 * reach), sheet)), follower()];
    }
    case "point_on_curve":
    case "face_on_curve": {
      const points = (constraint.curve ?? []).map(([x, y]) => new Vector3(x, y, 0));
      if (points.length < 2) return [];
      const path = new CatmullRomCurve3(points, constraint.closed ?? false);
      const tube = new TubeGeometry(path, Math.max(4 * points.length, 120), 0.3 * style.size, 8, constraint.closed);
      return [inFirst(new Mesh(tube, style.accent)), follower()];
    }
    case "rolling":
      return [inFirst(wheel(constraint.radii?.[0] ?? 0, style)), inSecond(wheel(constraint.radii?.[1] ?? 0, style))];
    case "rolling_on_line":
      return [inSecond(wheel(constraint.radii?.[0] ?? 0, style))];
    default:
      return [];
  }
}

// Pitch circles at the two joints, each carried by the body that turns.
export function drawCoupling(coupling: Coupling, scene: Scene, style: ConnectionStyle): Connection[] {
  if (!coupling.radii) return [];
  return coupling.radii.map((radius, i) => {
    const joint = scene.joints![i === 0 ? coupling.first : coupling.second];
    const object = wheel(radius, style);
    const onSecond = joint.second >= 0;
    place(object, onSecond ? joint.pose_second : joint.pose_first);
    return { object, body: onSecond ? joint.second : joint.first };
  });
}

// The least and the largest of where M's origin lies along F's z axis.
export function travelOf(joint: Joint, samples: Poses[]): [number, number] {
  const range: [number, number] = [0, 0];
  const atZero = originOf(joint.pose_second);
  for (const poses of samples) {
    const frame = matrixOf(joint.pose_first);
    if (joint.first >= 0) frame.premultiply(matrixOf(poses, 7 * joint.first));
    const z = pointInWorld(poses, joint.second, atZero).applyMatrix4(frame.invert()).z;
    if (!Number.isFinite(z)) continue;
    range[0] = Math.min(range[0], z);
    range[1] = Math.max(range[1], z);
  }
  return range;
}

export const toVec3 = (p: Vector3): Vec3 => [p.x, p.y, p.z];
