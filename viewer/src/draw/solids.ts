// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Shapes of bodies as solids.

import {
  BoxGeometry,
  BufferGeometry,
  Color,
  EdgesGeometry,
  Group,
  LineBasicMaterial,
  LineLoop,
  LineSegments,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  Object3D,
  Shape as Outline,
  SphereGeometry,
  Vector2,
} from "three";
import type { Shape } from "../scene/types";
import { capsule, cylinder, place, plate } from "./geometry";
import type { MeshShelf } from "./meshes";

export function solidMaterial(color: string, opacity = 1): MeshStandardMaterial {
  return new MeshStandardMaterial({
    color: new Color(color),
    roughness: 0.52,
    metalness: 0.05,
    transparent: opacity < 1,
    opacity,
    depthWrite: opacity > 0.6,
  });
}

const mostEdged = 30000; // vertices; finding the edges of more takes too long

// Thin lines along the edges of a solid, so that parts of one colour are told apart.
export function addEdges(mesh: Mesh, color: Color): void {
  if (mesh.geometry.getAttribute("position").count > mostEdged) return;
  const dark = color.clone().multiplyScalar(0.45);
  const material = new LineBasicMaterial({ color: dark, transparent: true, opacity: 0.55 });
  const lines = new LineSegments(new EdgesGeometry(mesh.geometry, 32), material);
  lines.raycast = () => undefined; // the solid is what is pointed at
  mesh.add(lines);
}

function geometryOf(shape: Shape): BufferGeometry | null {
  const radius = shape.radius ?? 0;
  const length = shape.length ?? 0;
  const size = shape.size ?? [1, 1, 1];
  switch (shape.kind) {
    case "rod":
    case "cylinder":
      return cylinder(radius, length);
    case "capsule":
      return capsule(radius, length);
    case "sphere":
      return new SphereGeometry(radius, 40, 24);
    case "box":
      return new BoxGeometry(...size);
    case "ellipsoid":
      return new SphereGeometry(1, 40, 24).applyMatrix4(new Matrix4().makeScale(...size));
    case "plate": {
      const outline = new Outline((shape.outline ?? []).map(([x, y]) => new Vector2(x, y)));
      return plate(outline, length, 0);
    }
    case "polygon":
    case "mesh":
      return null;
  }
}

// The solid of a shape, in the body's frame; nothing where it cannot be drawn.
export function solidOf(shape: Shape, color: string, shelf: MeshShelf): Object3D | null {
  const material = solidMaterial(shape.color ?? color, shape.opacity);
  let object: Object3D | null = null;
  if (shape.kind === "polygon") {
    const points = (shape.outline ?? []).map(([x, y]) => new Vector2(x, y));
    object = new LineLoop(new BufferGeometry().setFromPoints(points), new LineBasicMaterial({ color: material.color }));
  } else if (shape.kind === "mesh") {
    object = shelf.take(shape.mesh ?? -1);
    object?.traverse((part) => {
      if (part instanceof Mesh && (shape.color || !hasOwnColor(part))) part.material = material;
    });
    if (object && shape.scale) object = new Group().add(object);
    if (shape.scale) object?.scale.set(...shape.scale);
  } else {
    object = new Mesh(geometryOf(shape)!, material);
  }
  if (!object) return null;
  const holder = new Group().add(object);
  place(holder, shape.pose);
  const meshes: Mesh[] = [];
  holder.traverse((part) => {
    if (part instanceof Mesh) meshes.push(part);
  });
  for (const mesh of meshes) {
    mesh.castShadow = mesh.receiveShadow = true;
    addEdges(mesh, material.color);
  }
  return holder;
}

function hasOwnColor(mesh: Mesh): boolean {
  const material = mesh.material as { color?: Color; name?: string };
  return material.name !== undefined && material.name !== "" && material.color !== undefined;
}
