// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The plots as one SVG file, dark on white, as they stand on the page: the same lines, the same stretch of the axis.

import { formatNumber, roundStep, unitText } from "../format";
import { lineColor } from "../palette";
import type { State } from "../state";
import { valueRange } from "./decimate";
import { dataOf } from "./lines";
import type { Panel } from "./panel";

const width = 760;
const left = 72;
const right = 72;
const inner = 150;
const legend = 20;

const escapeXml = (text: string) =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

function ticks(from: number, to: number, most: number): number[] {
  const step = roundStep(((to - from) / most) * 2);
  const out: number[] = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + 1e-9 * step; ++i) out.push(i * step);
  return out;
}

function text(x: number, y: number, content: string, anchor: string, extra = ""): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}"${extra}>${escapeXml(content)}</text>`;
}

// A path through the points that are there, broken where one is not.
function pathOf(
  x: ArrayLike<number>,
  y: ArrayLike<number | null>,
  sx: (v: number) => number,
  sy: (v: number) => number,
): string {
  let path = "";
  let pen = "M";
  for (let i = 0; i < x.length; ++i) {
    const value = y[i];
    if (value === undefined) continue;
    if (value === null) {
      pen = "M";
      continue;
    }
    path += `${pen}${sx(x[i]).toFixed(1)} ${sy(value).toFixed(1)}`;
    pen = "L";
  }
  return path;
}

function panelSvg(panel: Panel, state: State, top: number): string {
  const [from, to] = panel.range();
  const sx = (v: number) => left + ((v - from) / (to - from)) * (width - left - right);
  const { x, columns } = dataOf(panel.lines, [from, to], 700);
  const out: string[] = [];
  const units = panel.units();
  const plotTop = top + legend;
  const bottom = plotTop + inner;
  for (const t of ticks(from, to, 16)) {
    out.push(`<path d="M${sx(t).toFixed(1)} ${plotTop}V${bottom}" class="g"/>`);
    out.push(text(sx(t), bottom + 14, formatNumber(t, 6), "middle"));
  }
  const scales = units.map((unit) => {
    const seen = columns.filter((_, i) => panel.lines[i].unit === unit).map((c) => c.filter((v) => v !== undefined));
    const [low, high] = valueRange(seen);
    return (v: number) => bottom - ((v - low) / (high - low)) * inner;
  });
  units.slice(0, 2).forEach((unit, u) => {
    const seen = columns.filter((_, i) => panel.lines[i].unit === unit).map((c) => c.filter((v) => v !== undefined));
    const [low, high] = valueRange(seen);
    for (const t of ticks(low, high, 10)) {
      const y = scales[u](t);
      if (u === 0) out.push(`<path d="M${left} ${y.toFixed(1)}H${width - right}" class="g"/>`);
      out.push(
        u === 0
          ? text(left - 6, y + 4, formatNumber(t, 5), "end")
          : text(width - right + 6, y + 4, formatNumber(t, 5), "start"),
      );
    }
    const middle = plotTop + inner / 2;
    const at = u === 0 ? 14 : width - 8;
    out.push(text(at, middle, unitText(unit), "middle", ` transform="rotate(-90 ${at} ${middle})"`));
  });
  out.push(`<rect x="${left}" y="${plotTop}" width="${width - left - right}" height="${inner}" class="f"/>`);
  for (const event of state.events.value)
    if (event.x >= from && event.x <= to)
      out.push(`<path d="M${sx(event.x).toFixed(1)} ${plotTop}V${bottom}" class="e"/>`);
  let at = left;
  panel.lines.forEach((line, i) => {
    const color = lineColor(panel.channels.indexOf(line.channel) < 0 ? i : panel.channels.indexOf(line.channel), false);
    const dash = line.dashed ? ' stroke-dasharray="6 4"' : "";
    const path = pathOf(x, columns[i], sx, scales[units.indexOf(line.unit)]);
    out.push(`<path d="${path}" fill="none" stroke="${color}" stroke-width="1.5" clip-path="url(#c${top})"${dash}/>`);
    out.push(
      `<path d="M${at} ${top + 8}h18" stroke="${color}" stroke-width="2"${dash}/>`,
      text(at + 23, top + 12, line.name, "start"),
    );
    at += 40 + 6.4 * line.name.length;
  });
  const clip = `<clipPath id="c${top}"><rect x="${left}" y="${plotTop}" width="${width - left - right}" height="${inner}"/></clipPath>`;
  return clip + out.join("\n");
}

export function plotsAsSvg(panels: Panel[], state: State): string {
  const each = legend + inner + 30;
  const height = 34 + panels.length * each + 14;
  const { axis } = state.samples;
  const body = panels.map((panel, i) => panelSvg(panel, state, 34 + i * each)).join("\n");
  const unit = unitText(axis.unit);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<style>text{font:12px Helvetica,Arial,sans-serif;fill:#222}.g{stroke:#ddd;fill:none}.f{stroke:#888;fill:none}.e{stroke:#b3568c;stroke-dasharray:4 3;fill:none}</style>
<rect width="100%" height="100%" fill="#fff"/>
${text(left, 20, state.scene.name, "start", ' font-weight="bold"')}
${body}
${text((left + width - right) / 2, height - 6, unit ? `${axis.name} [${unit}]` : axis.name, "middle")}
</svg>
`;
}
