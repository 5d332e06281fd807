// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Files of meshes: read, judged, measured. Whatever stands in them, what is drawn has finite places and normals that light falls on; what
// cannot be drawn is said in words.

import { Box3, BufferAttribute, BufferGeometry, Group, LineSegments, Mesh, Object3D, Vector3 } from "three";
import { ColladaLoader } from "three/examples/jsm/loaders/ColladaLoader.js";
import { OBJLoader } from "three/examples/jsm/loaders/OBJLoader.js";
import { readNumbers, type Loaded } from "../scene/bundle";
import type { MeshFile, Shape } from "../scene/types";
import { matrixOf } from "./geometry";
import { cornersOf } from "./stage";

// Why a mesh is not drawn, and what helps.
class MeshError extends Error {}

// Meshes, read once each. A file that cannot be drawn, or not all of it, leaves a text in `problems`.
export class MeshShelf {
  readonly problems: string[] = [];
  private readonly read = new Map<number, { object: Object3D; box: Box3 } | null>();

  constructor(private readonly loaded: Loaded) {}

  // A copy, or nothing.
  take(index: number): Object3D | null {
    return this.get(index)?.object.clone() ?? null;
  }

  // Corners of a box about a shape's mesh, in the body's frame; none where it cannot be drawn.
  cornersOf(shape: Shape): Vector3[] {
    const box = this.get(shape.mesh ?? -1)?.box;
    if (!box) return [];
    const pose = matrixOf(shape.pose);
    const scale = new Vector3(...(shape.scale ?? [1, 1, 1]));
    return cornersOf(box).map((p) => p.multiply(scale).applyMatrix4(pose));
  }

  private get(index: number): { object: Object3D; box: Box3 } | null {
    if (!this.read.has(index)) this.read.set(index, this.open(this.loaded.scene.meshes?.[index]));
    return this.read.get(index)!;
  }

  private open(file: MeshFile | undefined): { object: Object3D; box: Box3 } | null {
    if (!file) return null;
    try {
      if (file.missing !== undefined) throw new MeshError(file.missing);
      const object = this.parse(file);
      this.mend(object, file.name);
      const box = new Box3().setFromObject(object);
      if (box.isEmpty() || !Number.isFinite(box.getSize(new Vector3()).length()))
        throw new MeshError("there is nothing in it that has a place; export it anew");
      return { object, box };
    } catch (error) {
      const why = error instanceof MeshError ? error.message : `it cannot be read as ${file.format}; export it anew`;
      this.problems.push(`mesh '${file.name}' is not drawn: ${why}`);
    }
    return null;
  }

  private parse(file: MeshFile): Object3D {
    if (file.vertices && file.triangles) {
      const geometry = new BufferGeometry();
      const vertices = Float32Array.from(readNumbers(file.vertices, this.loaded));
      geometry.setAttribute("position", new BufferAttribute(vertices, 3));
      geometry.setIndex(new BufferAttribute(Uint32Array.from(readNumbers(file.triangles, this.loaded)), 1));
      return new Mesh(geometry.toNonIndexed()); // its faces are flat
    }
    const bytes = Uint8Array.from(readNumbers(file.bytes ?? [], this.loaded));
    const text = () => new TextDecoder().decode(bytes);
    if (file.format === "stl") return readStl(bytes);
    if (file.format === "obj") return new OBJLoader().parse(text());
    if (file.format === "dae") return readCollada(text());
    throw new MeshError("only STL, OBJ and DAE are known");
  }

  // Triangles with a corner that is nowhere shrink to a point; normals that are none are found anew.
  private mend(object: Object3D, name: string): void {
    let count = 0;
    let lost = 0;
    object.traverse((part) => {
      const { geometry } = part as { geometry?: BufferGeometry };
      if (!geometry) return;
      const corners = part instanceof LineSegments ? 2 : part instanceof Mesh ? 3 : 1;
      count += Math.floor((geometry.getAttribute("position")?.count ?? 0) / corners);
      lost += shrinkLost(geometry, corners);
      if (part instanceof Mesh && !hasNormals(geometry)) geometry.computeVertexNormals();
    });
    if (lost === 0) return;
    const which = "have corners that are no finite places or are not in the file";
    if (lost === count) throw new MeshError(`its triangles ${which}; export it anew`);
    this.problems.push(`mesh '${name}': ${lost} of its ${count} triangles ${which}, and are not drawn; export it anew`);
  }
}

// STL has a normal for each facet too, which many programs leave at zero: the corners tell it as well.
function readStl(bytes: Uint8Array): Mesh {
  const head = 84; // bytes, the last four of them the number of facets
  const facet = 50; // bytes: a normal, three corners, two more
  const view = new DataView(bytes.buffer);
  const told = bytes.length < head ? 0 : view.getUint32(80, true);
  const isText = bytes.length !== head + told * facet && latin(bytes.subarray(0, 9)).includes("solid");
  const room = Math.max(0, Math.floor((bytes.length - head) / facet));
  if (!isText && told > room)
    throw new MeshError(`it tells of ${told} triangles and has room for ${room}; copy it or export it anew`);
  const places = isText ? cornersInText(latin(bytes)) : new Float32Array(9 * told);
  for (let i = 0; !isText && i < places.length; ++i)
    places[i] = view.getFloat32(head + facet * Math.floor(i / 9) + 4 * (3 + (i % 9)), true);
  return new Mesh(new BufferGeometry().setAttribute("position", new BufferAttribute(places, 3)));
}
const latin = (bytes: Uint8Array) => new TextDecoder("latin1").decode(bytes);

function cornersInText(text: string): Float32Array {
  const places: number[] = [];
  for (const [facet] of text.matchAll(/facet\s+normal[\s\S]*?endfacet/g)) {
    const corners = [...facet.matchAll(/vertex\s+(\S+)\s+(\S+)\s+(\S+)/g)].flatMap((p) => p.slice(1).map(Number));
    places.push(...(corners.length === 9 ? corners : Array<number>(9).fill(NaN)));
  }
  return Float32Array.from(places);
}

// Its numbers are taken as they stand, whatever axis it calls up.
function readCollada(text: string): Object3D {
  const isXml = new DOMParser().parseFromString(text, "application/xml").querySelector("parsererror") === null;
  const collada = isXml ? new ColladaLoader().parse(text, "") : null;
  if (!collada) throw new MeshError("it is no COLLADA file; export it anew");
  collada.scene.rotation.set(0, 0, 0);
  return new Group().add(collada.scene);
}

// How many groups of so many corners, one after the other, had to be shrunk.
function shrinkLost(geometry: BufferGeometry, corners: number): number {
  const places = geometry.getAttribute("position")?.array ?? [];
  const width = 3 * corners;
  const isWhole = (at: number, end: number) => {
    for (; at < end; ++at) if (!Number.isFinite(places[at])) return false;
    return true;
  };
  let lost = 0;
  let good = 0; // a place to shrink to
  while (good + 3 < places.length && !isWhole(good, good + 3)) good += 3;
  for (let at = 0; at + width <= places.length; at += width) {
    if (isWhole(at, at + width)) continue;
    for (let i = 0; i < width; ++i) places[at + i] = places[good + (i % 3)];
    ++lost;
  }
  return lost;
}

function hasNormals(geometry: BufferGeometry): boolean {
  const normals = geometry.getAttribute("normal");
  if (!normals || normals.count !== geometry.getAttribute("position").count) return false;
  for (let i = 0; i < normals.count; ++i) {
    const size = Math.abs(normals.getX(i)) + Math.abs(normals.getY(i)) + Math.abs(normals.getZ(i));
    if (!(size > 0 && size < Infinity)) return false;
  }
  return true;
}
