// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// How large the mechanism is, as it stands first and over all its motion.

import { Box3, Sphere, Vector3 } from "three";
import type { Poses, Samples } from "../scene/samples";
import type { Scene, Shape } from "../scene/types";
import { pointInWorld } from "./connections";
import { matrixOf, vector } from "./geometry";
import { placesOf } from "./links";
import type { MeshShelf } from "./meshes";
import type { Extent } from "./stage";

// Some points of a body that span it, in its frame.
function pointsOfShape(shape: Shape, shelf: MeshShelf): Vector3[] {
  if (shape.kind === "mesh") return shelf.cornersOf(shape);
  const r = shape.radius ?? 0;
  const half = (shape.length ?? 0) / 2;
  let corner: Vector3;
  if (shape.kind === "box") corner = vector(shape.size ?? [0, 0, 0]).divideScalar(2);
  else if (shape.kind === "ellipsoid") corner = vector(shape.size ?? [0, 0, 0]);
  else if (shape.kind === "sphere") corner = new Vector3(r, r, r).multiplyScalar(0.7);
  else if (shape.kind === "capsule") corner = new Vector3(r, r, half + r);
  else corner = new Vector3(r, r, half);
  const points = (shape.outline ?? []).map(([x, y]) => new Vector3(x, y, 0));
  for (let i = 0; i < 8; ++i)
    points.push(new Vector3(i & 1 ? corner.x : -corner.x, i & 2 ? corner.y : -corner.y, i & 4 ? corner.z : -corner.z));
  const pose = matrixOf(shape.pose);
  return points.map((p) => p.applyMatrix4(pose));
}

// Poses at some samples, the first of them first.
export function somePoses(samples: Samples, bodyCount: number, most: number): Poses[] {
  const { x, count } = samples.poses;
  const n = Math.max(1, Math.min(count, most));
  return Array.from({ length: n }, (_, i) => {
    const poses: Poses = new Float64Array(7 * bodyCount);
    samples.poses.read(n === 1 ? (x[0] ?? 0) : x[Math.round((i * (count - 1)) / (n - 1))], poses);
    return poses;
  });
}

// Points that span each body, in its frame, and those of the ground.
export interface BodyPoints {
  bodies: Vector3[][];
  ground: Vector3[];
}

export function findPoints(scene: Scene, shelf: MeshShelf): BodyPoints {
  const bodies = scene.bodies.map((body, i) => {
    const list = body.shapes.flatMap((shape) => pointsOfShape(shape, shelf));
    const interesting = (scene.points ?? []).filter((point) => point.body === i).map((point) => vector(point.p));
    return list.length > 0 ? [...list, ...interesting] : placesOf(scene, i, 0);
  });
  return { bodies, ground: placesOf(scene, -1, 0) };
}

// About all bodies that have a pose.
export function boxOf({ bodies, ground }: BodyPoints, poses: Poses): Box3 {
  const box = new Box3().setFromPoints(ground);
  bodies.forEach((list, b) => {
    for (const p of list) {
      const inWorld = pointInWorld(poses, b, p);
      if (Number.isFinite(inWorld.x)) box.expandByPoint(inWorld);
    }
  });
  return box;
}

// Where nobody knows how it goes on: an eighth of its size on each side.
export function addRoom(box: Box3): Box3 {
  return box.expandByVector(box.getSize(new Vector3()).divideScalar(8));
}

export function measure(all: Box3): { allCentre: Vector3; allRadius: number } {
  const { center, radius } = all.getBoundingSphere(new Sphere());
  return { allCentre: center, allRadius: Math.max(radius, 1e-9) };
}

export function findExtent(scene: Scene, samples: Poses[], points: BodyPoints): Extent {
  const boxes = samples.map((poses) => boxOf(points, poses));
  const first = boxes.find((box) => !box.isEmpty()) ?? new Box3(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
  const all = boxes.reduce((sum, box) => sum.union(box), first.clone());
  if (scene.kind === "live") addRoom(all);
  if (scene.box) all.set(vector(scene.box[0]), vector(scene.box[1]));
  const ball = first.getBoundingSphere(new Sphere());
  const whole = measure(all);
  return {
    box: first,
    all,
    centre: ball.center,
    radius: ball.radius > 0 ? ball.radius : 1,
    allCentre: whole.allCentre,
    allRadius: Math.max(whole.allRadius, ball.radius),
  };
}
