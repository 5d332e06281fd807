// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The lines of a panel: channels of the scene, and those of the same name of other recordings, as they are drawn.

import { shownAs } from "../format";
import { lineColor } from "../palette";
import type { Samples } from "../scene/samples";
import type { State } from "../state";
import { decimate, type Column } from "./decimate";

export interface PlotLine {
  name: string;
  unit: string; // as shown
  color: string;
  dashed: boolean;
  channel: number; // of its samples
  samples: Samples;
  factor: number; // from the channel's unit to the one shown
}

export interface Others {
  name: string;
  samples: Samples;
}

export function linesOf(channels: number[], state: State, others: Others[]): PlotLine[] {
  return channels.flatMap((channel, i) => {
    const { name, unit } = state.samples.channels[channel];
    const shown = shownAs(unit, state.degrees.value);
    const line: PlotLine = {
      name,
      unit: shown.unit,
      factor: shown.factor,
      color: lineColor(i, state.dark.value),
      dashed: false,
      channel,
      samples: state.samples,
    };
    const beside = others.flatMap((other) => {
      const same = other.samples.channels.findIndex((c) => c.name === name);
      const label = `${name} (${other.name})`;
      return same < 0 ? [] : [{ ...line, name: label, dashed: true, channel: same, samples: other.samples }];
    });
    return [line, ...beside];
  });
}

// Data of lines that may have axes of their own: one list of x for each axis, joined as uPlot wants them.
export function dataOf(
  lines: PlotLine[],
  range: [number, number],
  buckets: number,
): { x: number[]; columns: Column[] } {
  const own = new Map<Samples, PlotLine[]>();
  for (const line of lines) own.set(line.samples, [...(own.get(line.samples) ?? []), line]);
  const parts = [...own.entries()].map(([samples, group]) => {
    const values = group.map((line) => samples.values(line.channel));
    const part = decimate(samples.x, samples.count, values, range, buckets);
    group.forEach((line, k) => {
      if (line.factor !== 1) part.columns[k] = part.columns[k].map((v) => (v === null ? null : v * line.factor));
    });
    return { part, group };
  });
  if (parts.length === 1) return parts[0].part;
  const x = [...new Set(parts.flatMap(({ part }) => part.x))].sort((a, b) => a - b);
  const at = new Map(x.map((value, i) => [value, i]));
  const columns = lines.map((line) => {
    const { part, group } = parts.find(({ group }) => group.includes(line))!;
    // Between its own samples a line goes straight on; uPlot does so over `undefined`.
    const column: Column = new Array<number | null>(x.length).fill(undefined as unknown as null);
    part.x.forEach((value, i) => (column[at.get(value)!] = part.columns[group.indexOf(line)][i]));
    return column;
  });
  return { x, columns };
}
