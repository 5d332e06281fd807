// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// As few points as a plot of so many pixels needs: of each bucket of neighbours the least and the largest value, in the order in which
// they stand, so that no peak is lost.

import { findSample } from "../scene/samples";

export type Column = (number | null)[];

export interface Decimated {
  x: number[];
  columns: Column[]; // as long as x each; null: no value
}

export function decimate(
  x: ArrayLike<number>,
  count: number,
  columns: ArrayLike<number>[],
  range: [number, number],
  buckets: number,
): Decimated {
  // One sample more at each end, so that lines go on to the border.
  const first = Math.max(findSample(x, count, range[0]), 0);
  const last = Math.min(findSample(x, count, range[1]) + 1, count - 1);
  const n = last - first + 1;
  if (count === 0) return { x: [], columns: columns.map(() => []) };
  if (n <= 2 * buckets) {
    const at = Array.from({ length: n }, (_, i) => x[first + i]);
    return { x: at, columns: columns.map((c) => at.map((_, i) => orNull(c[first + i]))) };
  }
  const out: Decimated = {
    x: new Array<number>(2 * buckets),
    columns: columns.map(() => new Array<number | null>(2 * buckets)),
  };
  const edge = (b: number) => first + Math.floor((b * n) / buckets);
  for (let b = 0; b < buckets; ++b) {
    const from = edge(b);
    const to = edge(b + 1);
    out.x[2 * b] = x[from];
    out.x[2 * b + 1] = x[(from + to) >> 1];
    columns.forEach((column, k) => {
      const [a, z] = extremes(column, from, to);
      out.columns[k][2 * b] = a;
      out.columns[k][2 * b + 1] = z;
    });
  }
  // The end itself.
  out.x.push(x[last]);
  columns.forEach((column, k) => out.columns[k].push(orNull(column[last])));
  return out;
}

const orNull = (value: number): number | null => (Number.isFinite(value) ? value : null);

// The least and the largest of a stretch, the one that stands first first.
function extremes(column: ArrayLike<number>, from: number, to: number): [number | null, number | null] {
  let least = -1;
  let most = -1;
  for (let i = from; i < to; ++i) {
    const value = column[i];
    if (!(value - value === 0)) continue; // NaN or infinite
    if (least < 0 || value < column[least]) least = i;
    if (most < 0 || value > column[most]) most = i;
  }
  if (least < 0) return [null, null];
  return least < most ? [column[least], column[most]] : [column[most], column[least]];
}

// The range of values, with a little room; of a constant, and of round-off about one, a range that does not magnify noise.
export function valueRange(columns: Column[]): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const column of columns)
    for (const value of column)
      if (value !== null) {
        if (value < low) low = value;
        if (value > high) high = value;
      }
  if (low > high) return [0, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  let room = 0.06 * (high - low);
  if (high - low <= 1e-9 * size) room = size > 0 ? 0.05 * size : 1;
  return [low - room, high + room];
}
