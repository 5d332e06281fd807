// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Bodies without shapes: links between the places of their joints, as one would sketch them. In a plane they are bars and plates with round
// ends, one above the other; in space rods, or a plate where the places lie in a plane.

import { BufferGeometry, Group, Matrix4, Mesh, MeshStandardMaterial, SphereGeometry, Vector2, Vector3 } from "three";
import type { Scene } from "../scene/types";
import { between, cylinder, originOf, plate, roundedHull, vector } from "./geometry";
import { addEdges } from "./solids";

export interface LinkStyle {
  radius: number; // of rods and round ends, in m
  normal: Vector3 | null; // of the plane that the mechanism moves in, in the body's frame
  layer: number; // which of the stacked sheets it lies in
}

// Where a body is held, and its points of interest: in its frame, each place once.
export function placesOf(scene: Scene, body: number, tolerance: number): Vector3[] {
  const places: Vector3[] = [];
  const add = (p: Vector3) => {
    if (!places.some((other) => other.distanceTo(p) < tolerance)) places.push(p);
  };
  for (const joint of scene.joints ?? []) {
    if (joint.kind === "free") continue;
    if (joint.first === body) add(originOf(joint.pose_first));
    if (joint.second === body) add(originOf(joint.pose_second));
  }
  for (const constraint of scene.constraints ?? []) {
    if (constraint.first === body && constraint.kind === "distance") add(originOf(constraint.pose_first));
    if (constraint.second === body) add(originOf(constraint.pose_second));
  }
  for (const point of scene.points ?? []) if (point.body === body) add(vector(point.p));
  for (const spring of scene.springs ?? []) {
    if (spring.first === body) add(vector(spring.p_first));
    if (spring.second === body) add(vector(spring.p_second));
  }
  const com = scene.bodies[body]?.com;
  if (places.length < 2 && com) add(vector(com));
  return places;
}

export function drawLink(places: Vector3[], style: LinkStyle, material: MeshStandardMaterial): Group {
  const group = new Group();
  const add = (geometry: BufferGeometry) => {
    const mesh = new Mesh(geometry, material);
    mesh.castShadow = mesh.receiveShadow = true;
    group.add(mesh);
    return mesh;
  };
  if (places.length === 0) return group;
  if (places.length === 1) {
    add(new SphereGeometry(style.radius * 1.6, 32, 20)).position.copy(places[0]);
    return group;
  }
  const normal = style.normal ?? commonNormal(places, style.radius);
  if (normal) {
    addEdges(add(sheet(places, normal, style)), material.color);
    return group;
  }
  const hub = places.length === 2 ? places[0] : mean(places);
  for (const p of places.length === 2 ? [places[1]] : places) {
    const rod = add(cylinder(1, 1, 24).translate(0, 0, 0.5));
    between(rod, hub, p, style.radius * 0.8);
    rod.scale.x = rod.scale.y = style.radius * 0.8;
  }
  for (const p of [hub, ...places]) add(new SphereGeometry(style.radius, 24, 16)).position.copy(p);
  return group;
}

function mean(places: Vector3[]): Vector3 {
  return places.reduce((sum, p) => sum.add(p), new Vector3()).divideScalar(places.length);
}

// A bar or a plate through these places, square to the normal.
function sheet(places: Vector3[], normal: Vector3, style: LinkStyle): BufferGeometry {
  const z = normal.clone().normalize();
  const x = new Vector3().subVectors(places[1], places[0]);
  x.addScaledVector(z, -x.dot(z));
  if (x.length() < 1e-9) x.set(1, 0, 0).addScaledVector(z, -z.x);
  x.normalize();
  const y = new Vector3().crossVectors(z, x);
  const origin = mean(places);
  const flat = places.map((p) => {
    const d = p.clone().sub(origin);
    return new Vector2(d.dot(x), d.dot(y));
  });
  const thickness = style.radius * 1.2;
  const geometry = plate(roundedHull(flat, style.radius * 1.25), thickness, style.radius * 0.16);
  origin.addScaledVector(z, style.layer * thickness * 1.08);
  return geometry.applyMatrix4(new Matrix4().makeBasis(x, y, z).setPosition(origin));
}

// Of three or more places that lie in a plane, but not on a line.
function commonNormal(places: Vector3[], tolerance: number): Vector3 | null {
  if (places.length < 3) return null;
  const origin = places[0];
  let normal = new Vector3();
  for (let i = 1; i < places.length; ++i)
    for (let j = i + 1; j < places.length; ++j) {
      const n = new Vector3().crossVectors(places[i].clone().sub(origin), places[j].clone().sub(origin));
      if (n.length() > normal.length()) normal = n;
    }
  const reach = Math.max(...places.map((p) => p.distanceTo(origin)));
  if (normal.length() < 1e-3 * reach * reach) return null;
  normal.normalize();
  return places.every((p) => Math.abs(p.clone().sub(origin).dot(normal)) < tolerance) ? normal : null;
}
