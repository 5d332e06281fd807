// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What changes along the axis (time, or the last input of a sweep): poses of bodies and values of channels at samples. Recordings and
// sweeps have them from the start, live scenes grow; both look the same from here.

import { readNumbers, type Loaded, type NumberArray } from "./bundle";
import type { Axis, Body, Channel, PoseSeries, Scene } from "./types";

// The last i with x[i] ≤ at, 0 before the first. `count` numbers of x rise.
export function findSample(x: ArrayLike<number>, count: number, at: number): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (x[middle] <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

// Poses of all bodies: seven numbers each, in the order of the scene.
export type Poses = Float64Array;

export interface PoseTrack {
  readonly x: ArrayLike<number>;
  readonly count: number;
  // Fills `out` with the poses at x; NaN where a body has none.
  read(at: number, out: Poses): void;
}

export interface Samples {
  readonly axis: { name: string; unit: string };
  readonly channels: Channel[];
  readonly count: number;
  readonly x: ArrayLike<number>; // rising; `count` of them count
  readonly poses: PoseTrack;
  readonly grows: boolean;
  readonly rows: number; // of a sweep over several inputs: how many sweeps of the last there are
  row: number; // the one that is shown
  // The values of a channel at x.
  values(channel: number): ArrayLike<number>;
  version: number; // rises when there are more samples, or another row
}

export function restingPoses(bodies: Body[]): Poses {
  const out = new Float64Array(7 * bodies.length);
  bodies.forEach((body, i) => out.set(body.pose, 7 * i));
  return out;
}

// Between two poses, at a share of the way: straight, and by the shortest turn. Where one of them is not there, neither is the result.
export function blendPose(
  a: ArrayLike<number>,
  i: number,
  b: ArrayLike<number>,
  j: number,
  share: number,
  out: Poses,
  k: number,
): void {
  for (let c = 0; c < 3; ++c) out[k + c] = a[i + c] + share * (b[j + c] - a[i + c]);
  let along = 0;
  for (let c = 3; c < 7; ++c) along += a[i + c] * b[j + c];
  const sign = along < 0 ? -1 : 1;
  // Straight between quaternions and made a unit again: off by less than 1e-3 of the step, where steps are below 30 degrees.
  let squares = 0;
  for (let c = 3; c < 7; ++c) {
    const q = (1 - share) * a[i + c] + share * sign * b[j + c];
    out[k + c] = q;
    squares += q * q;
  }
  const norm = Math.sqrt(squares) || 1;
  for (let c = 3; c < 7; ++c) out[k + c] /= norm;
}

class FixedPoses implements PoseTrack {
  private readonly from = new Float64Array(7);
  private readonly to = new Float64Array(7);

  constructor(
    readonly x: ArrayLike<number>,
    readonly count: number,
    private readonly bodies: number[],
    private readonly values: NumberArray,
    private readonly resting: Poses,
    private readonly offset: () => number, // of the row that is shown, in samples
    private readonly stride: number, // samples of all rows
    private readonly falling: boolean,
  ) {}

  read(at: number, out: Poses): void {
    out.set(this.resting);
    if (this.count === 0) return;
    const first = findSample(this.x, this.count, at);
    const second = Math.min(first + 1, this.count - 1);
    const span = this.x[second] - this.x[first];
    const share = span > 0 ? Math.min(Math.max((at - this.x[first]) / span, 0), 1) : 0;
    const i = this.index(first);
    const j = this.index(second);
    this.bodies.forEach((body, k) => {
      for (let c = 0; c < 7; ++c) {
        this.from[c] = this.values[(7 * k + c) * this.stride + i];
        this.to[c] = this.values[(7 * k + c) * this.stride + j];
      }
      // A sample that has no pose must not take its neighbour's away, when the cursor is right at that one.
      if (share === 0 || Number.isNaN(this.from[0])) out.set(this.from, 7 * body);
      else if (share === 1) out.set(this.to, 7 * body);
      else blendPose(this.from, 0, this.to, 0, share, out, 7 * body);
    });
  }

  private index(sample: number): number {
    return this.offset() + (this.falling ? this.count - 1 - sample : sample);
  }
}

const noPoses: PoseSeries = { bodies: [], values: [] };

export class FixedSamples implements Samples {
  readonly axis: { name: string; unit: string };
  readonly count: number;
  readonly x: Float64Array;
  readonly poses: PoseTrack;
  readonly grows = false;
  readonly rows: number;
  row = 0;
  version = 0;
  private readonly falling: boolean;
  private readonly decoded = new Map<number, NumberArray>();

  constructor(
    private readonly loaded: Loaded,
    axis: Axis,
    poses: PoseSeries | undefined,
    readonly channels: Channel[],
    bodies: Body[],
    outer: number[], // numbers of values of the inputs before the last
  ) {
    this.axis = { name: axis.name, unit: axis.unit };
    const x = Float64Array.from(readNumbers(axis.values, loaded));
    this.falling = x.length > 1 && x[0] > x[x.length - 1];
    this.x = this.falling ? x.reverse() : x;
    this.count = x.length;
    this.rows = outer.reduce((a, b) => a * b, 1);
    this.poses = this.makePoses(poses ?? noPoses, bodies);
  }

  private makePoses(poses: PoseSeries, bodies: Body[]): PoseTrack {
    const own = poses.axis ? Float64Array.from(readNumbers(poses.axis, this.loaded)) : null;
    const x = own ? (this.falling ? own.reverse() : own) : this.x;
    const values = readNumbers(poses.values, this.loaded);
    const stride = x.length * this.rows;
    const offset = () => this.row * x.length;
    return new FixedPoses(x, x.length, poses.bodies, values, restingPoses(bodies), offset, stride, this.falling);
  }

  values(channel: number): ArrayLike<number> {
    let all = this.decoded.get(channel);
    if (!all) {
      all = readNumbers(this.channels[channel].values ?? [], this.loaded);
      if (this.falling) all = all.slice().reverse(); // rows too: see below
      if (this.channels[channel].axis === "poses") all = resampled(this.poses.x, all, this.x);
      this.decoded.set(channel, all);
    }
    const row = this.falling ? this.rows - 1 - this.row : this.row;
    return this.rows === 1 ? all : all.subarray(row * this.count, (row + 1) * this.count);
  }
}

// Values at other places: straight between the two about them, level beyond the ends; a gap where one of them is.
function resampled(x: ArrayLike<number>, values: ArrayLike<number>, at: ArrayLike<number>): Float32Array {
  const out = new Float32Array(at.length);
  for (let i = 0; i < at.length; ++i) {
    const first = findSample(x, x.length, at[i]);
    const second = Math.min(first + 1, x.length - 1);
    const span = x[second] - x[first];
    const share = span > 0 ? Math.min(Math.max((at[i] - x[first]) / span, 0), 1) : 0;
    out[i] = share === 0 ? values[first] : values[first] + share * (values[second] - values[first]);
  }
  return out;
}

// Samples that arrive, in arrays that double when they are full; the oldest half goes when there are too many.
export class GrowingSamples implements Samples {
  readonly grows = true;
  readonly rows = 1;
  readonly poses: PoseTrack;
  readonly limit = 20000;
  count = 0;
  row = 0;
  version = 0;
  x = new Float64Array(256);
  private frames: Float32Array;
  private columns: Float32Array[];
  private readonly width: number;

  constructor(
    readonly channels: Channel[],
    bodies: Body[],
    readonly axis = { name: "t", unit: "s" },
  ) {
    this.width = 7 * bodies.length;
    this.frames = new Float32Array(256 * this.width);
    this.columns = channels.map(() => new Float32Array(256));
    const self = this;
    const resting = restingPoses(bodies);
    this.poses = {
      get x() {
        return self.x;
      },
      get count() {
        return self.count;
      },
      read: (at, out) => (self.count === 0 ? out.set(resting) : self.readPoses(at, out)),
    };
  }

  append(t: number, poses: Float32Array, values: Float32Array): void {
    if (this.count > 0 && t < this.x[this.count - 1]) this.count = 0;
    // A linkage that is dragged has no time: its frames are numbered.
    if (this.count > 0 && t === this.x[this.count - 1]) --this.count;
    if (this.count === this.x.length) this.makeRoom();
    this.x[this.count] = t;
    this.frames.set(poses, this.count * this.width);
    this.columns.forEach((column, i) => (column[this.count] = values[i]));
    ++this.count;
    ++this.version;
  }

  values(channel: number): ArrayLike<number> {
    return this.columns[channel].subarray(0, this.count);
  }

  private readPoses(at: number, out: Poses): void {
    const first = findSample(this.x, this.count, at);
    const second = Math.min(first + 1, this.count - 1);
    const span = this.x[second] - this.x[first];
    const share = span > 0 ? Math.min(Math.max((at - this.x[first]) / span, 0), 1) : 0;
    const i = first * this.width;
    const j = second * this.width;
    for (let k = 0; k < this.width; k += 7) blendPose(this.frames, i + k, this.frames, j + k, share, out, k);
  }

  private makeRoom(): void {
    if (this.x.length >= this.limit) {
      const from = this.count >> 1;
      this.x.copyWithin(0, from);
      this.frames.copyWithin(0, from * this.width);
      for (const column of this.columns) column.copyWithin(0, from);
      this.count -= from;
      return;
    }
    const size = 2 * this.x.length;
    this.x = enlarged(this.x, new Float64Array(size));
    this.frames = enlarged(this.frames, new Float32Array(size * this.width));
    this.columns = this.columns.map((column) => enlarged(column, new Float32Array(size)));
  }
}

function enlarged<T extends Float32Array | Float64Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}

// The samples of a scene; a mechanism alone has one, at zero.
export function samplesOf(loaded: Loaded): Samples {
  const { scene } = loaded;
  const channels = scene.series?.channels ?? [];
  if (scene.kind === "live") return new GrowingSamples(channels, scene.bodies, scene.series?.axis);
  const axis = scene.series?.axis ?? axisOfInputs(scene) ?? { name: "", unit: "", values: [0] };
  const outer = (scene.inputs ?? []).slice(0, -1).map((input) => readNumbers(input.values, loaded).length);
  return new FixedSamples(loaded, axis, scene.series?.poses, channels, scene.bodies, outer);
}

function axisOfInputs(scene: Scene): Axis | undefined {
  const last = scene.inputs?.at(-1);
  return last && { name: last.name, unit: last.unit, values: last.values };
}
