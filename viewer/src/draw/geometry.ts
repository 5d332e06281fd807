// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Small things that all drawings need: poses, bars between points, rounded plates.

import {
  BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  ExtrudeGeometry,
  Matrix4,
  Object3D,
  Path,
  Quaternion,
  Shape as Outline,
  Vector2,
  Vector3,
} from "three";
import type { Pose } from "../scene/types";

export const vector = (p: ArrayLike<number>, at = 0): Vector3 => new Vector3(p[at], p[at + 1], p[at + 2]);

export function place(object: Object3D, pose: ArrayLike<number>, at = 0): void {
  object.position.set(pose[at], pose[at + 1], pose[at + 2]);
  object.quaternion.set(pose[at + 4], pose[at + 5], pose[at + 6], pose[at + 3]).normalize();
}
export function matrixOf(pose: ArrayLike<number>, at = 0): Matrix4 {
  const q = new Quaternion(pose[at + 4], pose[at + 5], pose[at + 6], pose[at + 3]).normalize();
  return new Matrix4().compose(vector(pose, at), q, new Vector3(1, 1, 1));
}
// Of a frame's origin, and the direction of one of its axes (0, 1, 2).
export const originOf = (pose: Pose): Vector3 => vector(pose);
export function axisOf(pose: ArrayLike<number>, axis: number): Vector3 {
  return new Vector3().setFromMatrixColumn(matrixOf(pose), axis);
}

const zAxis = new Vector3(0, 0, 1);

// A geometry along z from 0 to 1 is brought between two points.
export function between(object: Object3D, a: Vector3, b: Vector3, thickness = 1): void {
  const along = b.clone().sub(a);
  const length = along.length();
  object.position.copy(a);
  object.quaternion.setFromUnitVectors(zAxis, length > 0 ? along.divideScalar(length) : zAxis);
  object.scale.set(thickness, thickness, Math.max(length, 1e-12));
}

// Along z, about the origin; three's own are along y.
export function cylinder(radius: number, length: number, segments = 40): BufferGeometry {
  return new CylinderGeometry(radius, radius, length, segments).rotateX(Math.PI / 2);
}
export function capsule(radius: number, length: number): BufferGeometry {
  return new CapsuleGeometry(radius, length, 10, 28).rotateX(Math.PI / 2);
}

// Counter-clockwise, without points on edges (Andrew's monotone chain).
export function convexHull(points: Vector2[]): Vector2[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  const half = (list: Vector2[]): Vector2[] => {
    const out: Vector2[] = [];
    for (const p of list) {
      while (out.length >= 2) {
        const a = out[out.length - 2];
        const b = out[out.length - 1];
        if ((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) > 1e-12) break;
        out.pop();
      }
      out.push(p);
    }
    out.pop();
    return out;
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

// All points within r of the hull of these points: a disc, a bar with round ends, a plate with round corners.
export function roundedHull(points: Vector2[], r: number): Outline {
  const hull = convexHull(points);
  const outline = new Outline();
  if (hull.length < 2) {
    const p = hull[0] ?? points[0];
    outline.absarc(p.x, p.y, r, 0, 2 * Math.PI, false);
    return outline;
  }
  const outward = hull.map((p, i) => {
    const next = hull[(i + 1) % hull.length];
    return Math.atan2(p.x - next.x, next.y - p.y);
  });
  hull.forEach((p, i) => {
    const from = outward[(i + hull.length - 1) % hull.length];
    outline.absarc(p.x, p.y, r, from, outward[i], false);
  });
  outline.closePath();
  return outline;
}

// A plate of this outline, half of its thickness each side of z = 0, with edges that catch the light.
export function plate(outline: Outline, thickness: number, bevel: number): BufferGeometry {
  const depth = Math.max(thickness - 2 * bevel, thickness / 10);
  const geometry = new ExtrudeGeometry(outline, {
    depth,
    bevelEnabled: bevel > 0,
    bevelSize: bevel,
    bevelThickness: bevel,
    bevelOffset: -bevel,
    bevelSegments: 2,
    curveSegments: 20,
  });
  return geometry.translate(0, 0, -depth / 2);
}

export function polyline(points: [number, number][], closed: boolean): Path {
  const path = new Path(points.map(([x, y]) => new Vector2(x, y)));
  if (closed) path.closePath();
  return path;
}
