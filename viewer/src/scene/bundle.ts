// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// From bytes to a scene: gzip or not, a bundle (JSON and blocks of numbers) or plain JSON. What is wrong is said in words.

import type { Block, BlockType, Numbers, Scene } from "./types";

export type NumberArray = Float32Array | Float64Array | Uint8Array | Uint16Array | Uint32Array | Int32Array;

export const sceneVersion = 1;
const magic = "TRMLSCN1";

export class SceneError extends Error {}

export interface Loaded {
  scene: Scene;
  blocks: ArrayBuffer;
  start: number; // of the blocks, in bytes
}

export async function loadScene(bytes: Uint8Array): Promise<Loaded> {
  const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? await gunzip(bytes) : bytes;
  const loaded = startsWith(plain, magic) ? openBundle(plain) : openJson(plain);
  check(loaded.scene);
  return loaded;
}

export function fromBase64(text: string): Uint8Array {
  const compact = text.trim();
  const direct = Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array };
  if (direct.fromBase64) return direct.fromBase64(compact);
  const letters = atob(compact); // browsers of before 2025
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

async function gunzip(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
  try {
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw new SceneError("The data of this page are damaged: they cannot be decompressed. Write the file anew.");
  }
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  return [...text].every((c, i) => bytes[i] === c.charCodeAt(0));
}

function openBundle(bytes: Uint8Array): Loaded {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true);
  if (12 + length > bytes.byteLength) throw new SceneError("The data of this page end too early. Write the file anew.");
  const scene = parse(bytes.subarray(12, 12 + length));
  // Blocks are aligned to 8 bytes within the bundle; the bundle itself may start anywhere.
  if (bytes.byteOffset % 8 === 0)
    return { scene, blocks: bytes.buffer as ArrayBuffer, start: bytes.byteOffset + 12 + length };
  return { scene, blocks: bytes.slice(12 + length).buffer, start: 0 };
}

function openJson(bytes: Uint8Array): Loaded {
  return { scene: parse(bytes), blocks: new ArrayBuffer(0), start: 0 };
}

function parse(bytes: Uint8Array): Scene {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as Scene;
  } catch {
    throw new SceneError("This is no scene: neither a bundle nor JSON. Make one with trammel view MODEL --html FILE.");
  }
}

function check(scene: Scene): void {
  if (typeof scene !== "object" || scene === null || !("trammel_scene" in scene))
    throw new SceneError(
      "This is no scene: it has no key trammel_scene. Make one with trammel view MODEL --html FILE.",
    );
  if ((scene.trammel_scene as number) > sceneVersion)
    throw new SceneError(
      `This scene has version ${String(scene.trammel_scene)}, this page knows ${sceneVersion}. Open it with a newer page.`,
    );
  if (!Array.isArray(scene.bodies)) throw new SceneError("This scene has no list of bodies.");
  for (const joint of scene.joints ?? [])
    for (const body of [joint.first, joint.second])
      if (body < -1 || body >= scene.bodies.length)
        throw new SceneError(`Joint '${joint.name}' names body ${body}, but there are ${scene.bodies.length}.`);
}

const arrays: Record<
  BlockType,
  { new (buffer: ArrayBuffer, at?: number, count?: number): NumberArray; BYTES_PER_ELEMENT: number }
> = {
  f32: Float32Array,
  f64: Float64Array,
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i32: Int32Array,
};

// The numbers that a scene names, as a typed array: a view of the blocks where they stand there as they are.
export function readNumbers(numbers: Numbers, from: Loaded): NumberArray {
  if (Array.isArray(numbers)) return Float64Array.from(numbers, (x) => x ?? NaN);
  if ("step" in numbers) return Float64Array.from({ length: numbers.count }, (_, i) => numbers.from + i * numbers.step);
  const kind = arrays[numbers.type];
  if (!kind) throw new SceneError(`A block of numbers has the type '${numbers.type}', which this page does not know.`);
  const at = from.start + numbers.at;
  if (at + numbers.count * kind.BYTES_PER_ELEMENT > from.blocks.byteLength)
    throw new SceneError("A block of numbers reaches beyond the end of the data. Write the file anew.");
  return numbers.shuffle ? unshuffle(numbers, from.blocks, at) : new kind(from.blocks, at, numbers.count);
}

function unshuffle(block: Block, blocks: ArrayBuffer, at: number): NumberArray {
  const kind = arrays[block.type];
  const width = kind.BYTES_PER_ELEMENT;
  const { count } = block;
  const planes = new Uint8Array(blocks, at, count * width);
  const bytes = new Uint8Array(count * width);
  for (let plane = 0; plane < width; ++plane) {
    const first = plane * count;
    for (let i = 0, to = plane; i < count; ++i, to += width) bytes[to] = planes[first + i];
  }
  return new kind(bytes.buffer, 0, count);
}
