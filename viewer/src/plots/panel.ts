// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// One plot: channels over the axis, the cursor, events. Dragging moves the cursor, and with it everything; shift and dragging, or the wheel, zooms.

import uPlot from "uplot";
import { formatNumber, formatWithUnit, unitText } from "../format";
import { valueAt } from "../draw/arrows";
import type { State } from "../state";
import { h, icon } from "../ui/dom";
import { valueRange } from "./decimate";
import { dataOf, linesOf, type Others, type PlotLine } from "./lines";

const mostMarks = { pixelsEach: 12, tick: 7 };

export class Panel {
  readonly element: HTMLElement;
  channels: number[] = [];
  lines: PlotLine[] = [];
  private plot: uPlot | null = null;
  private readonly host = h("div", { class: "plot-host" });
  private readonly chips = h("div", { class: "chips" });
  private readonly cursor = h("div", { class: "plot-cursor" });
  private readonly box = h("div", { class: "plot-zoom", hidden: true });
  private readonly values: HTMLElement[] = [];
  private drawnVersion = -1;

  constructor(
    readonly state: State,
    private readonly others: () => Others[],
    private readonly actions: { remove: (panel: Panel) => void; choose: (panel: Panel) => void; changed: () => void },
  ) {
    const close = h(
      "button",
      {
        class: "icon small",
        type: "button",
        "aria-label": "Remove this plot",
        title: "Remove this plot",
        onclick: () => actions.remove(this),
      },
      icon("close"),
    );
    this.element = h(
      "section",
      { class: "panel", "aria-label": "Plot" },
      h("header", {}, this.chips, close),
      this.host,
    );
    this.element.addEventListener("pointerdown", () => actions.choose(this));
    this.element.addEventListener("focusin", () => actions.choose(this));
    new ResizeObserver(() => this.resize()).observe(this.host);
  }

  setChannels(channels: number[]): void {
    this.channels = channels;
    this.rebuild();
    this.actions.changed();
  }

  // All anew: other lines, other colours, other units.
  rebuild(): void {
    this.plot?.destroy();
    this.plot = null;
    this.lines = linesOf(this.channels, this.state, this.others());
    this.buildChips();
    if (this.lines.length === 0 || this.host.clientWidth === 0) return;
    this.plot = new uPlot(this.options(), this.data(), this.host);
    this.plot.over.append(this.box, this.cursor);
    this.listen(this.plot.over);
    this.moveCursor();
  }

  // Other data, or another stretch of the axis.
  refresh(): void {
    if (!this.plot) return;
    this.drawnVersion = this.state.samples.version;
    this.plot.setData(this.data(), false);
    const [from, to] = this.range();
    this.plot.batch(() => {
      this.plot!.setScale("x", { min: from, max: to });
      for (const unit of this.units()) {
        const [min, max] = this.rangeOf(unit);
        this.plot!.setScale(unit, { min, max });
      }
    });
    this.moveCursor();
  }
  get isCurrent(): boolean {
    return this.drawnVersion === this.state.samples.version;
  }

  moveCursor(): void {
    const x = this.state.cursor.value;
    this.lines.forEach((line, i) => {
      const value = valueAt(line.samples, line.channel, x) * line.factor;
      const text = formatWithUnit(value, line.unit);
      if (this.values[i] && this.values[i].textContent !== text) this.values[i].textContent = text;
    });
    if (!this.plot) return;
    const at = this.plot.valToPos(x, "x");
    this.cursor.style.transform = `translateX(${at.toFixed(1)}px)`;
    this.cursor.hidden = !(at >= -1 && at <= this.plot.over.clientWidth + 1);
  }

  units(): string[] {
    return [...new Set(this.lines.map((line) => line.unit))];
  }
  range(): [number, number] {
    const [from, to] = this.state.zoom.value ?? this.state.range();
    return to > from ? [from, to] : [from - 0.5, from + 0.5];
  }

  private latest: uPlot.AlignedData = [[]];
  private data(): uPlot.AlignedData {
    this.drawnVersion = this.state.samples.version;
    const buckets = Math.max(100, Math.round(this.host.clientWidth * 1.5));
    const { x, columns } = dataOf(this.lines, this.range(), buckets);
    return (this.latest = [x, ...columns]);
  }
  private rangeOf(unit: string): [number, number] {
    const [from, to] = this.range();
    const x = this.latest[0];
    const seen = this.lines.flatMap((line, i) => {
      if (line.unit !== unit) return [];
      return [
        (this.latest[i + 1] as (number | null)[]).filter((v, k) => v !== undefined && x[k] >= from && x[k] <= to),
      ];
    });
    return valueRange(seen);
  }

  private options(): uPlot.Options {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--muted").trim();
    const grid = { stroke: style.getPropertyValue("--line").trim(), width: 1 };
    const font = `11px ${style.getPropertyValue("--font").trim()}`;
    const axis = { stroke: ink, grid, ticks: { show: false }, font };
    const units = this.units();
    const { axis: along } = this.state.samples;
    const scales: uPlot.Scales = { x: { time: false, range: () => this.range() } };
    for (const unit of units) scales[unit] = { range: () => this.rangeOf(unit) };
    const yAxes = units.slice(0, 2).map((unit, i): uPlot.Axis => ({
      ...axis,
      scale: unit,
      side: i === 0 ? 3 : 1,
      size: 52,
      gap: 4,
      grid: i === 0 ? grid : { show: false },
      label: unitText(unit) || undefined,
      labelSize: 15,
      labelGap: 0,
      labelFont: font,
      space: 26,
      values: (_, splits) => splits.map((v) => formatNumber(v, 5)),
    }));
    return {
      width: this.host.clientWidth,
      height: this.height(),
      legend: { show: false },
      cursor: { show: false },
      padding: [6, units.length > 1 ? 0 : 8, 0, 0],
      scales,
      axes: [
        {
          ...axis,
          size: 22,
          gap: 3,
          space: 56,
          label: [along.name, unitText(along.unit) && `in ${unitText(along.unit)}`].filter(Boolean).join(" "),
          labelSize: 15,
          labelGap: -1,
          labelFont: font,
          values: (_, splits) => splits.map((v) => formatNumber(v, 6)),
        },
        ...yAxes,
      ],
      series: [
        { label: along.name },
        ...this.lines.map((line) => ({
          label: line.name,
          scale: line.unit,
          stroke: line.color,
          width: 1.5,
          dash: line.dashed ? [6, 4] : undefined,
          pxAlign: 0, // slopes without stairs
          points: { show: false },
        })),
      ],
      hooks: { drawClear: [(plot) => this.drawMarks(plot)], draw: [() => this.moveCursor()] },
    };
  }
  private height(): number {
    return matchMedia("(max-width: 760px)").matches ? 162 : 180;
  }

  // Events, dead points and stretches without positions, behind the lines.
  private drawMarks(plot: uPlot): void {
    const { ctx, bbox } = plot;
    const style = getComputedStyle(document.documentElement);
    const at = (x: number) => plot.valToPos(x, "x", true);
    const input = this.state.scene.inputs?.at(-1);
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.fillStyle = style.getPropertyValue("--hatch").trim();
    for (const stretch of input?.imaginary ?? [])
      ctx.fillRect(at(stretch.from), bbox.top, at(stretch.to) - at(stretch.from), bbox.height);
    // Lines where they leave room between them; where they are many, short ticks that leave the curves to be seen.
    const inView = this.state.events.value.filter(
      (event) => at(event.x) >= bbox.left && at(event.x) <= bbox.left + bbox.width,
    );
    const isCrowded = inView.length > bbox.width / (mostMarks.pixelsEach * devicePixelRatio);
    const mark = (x: number, color: string, isTick = false) => {
      ctx.strokeStyle = color;
      ctx.lineWidth = devicePixelRatio;
      ctx.setLineDash(isTick ? [] : [4 * devicePixelRatio, 3 * devicePixelRatio]);
      ctx.beginPath();
      ctx.moveTo(at(x), bbox.top);
      ctx.lineTo(at(x), bbox.top + (isTick ? mostMarks.tick * devicePixelRatio : bbox.height));
      ctx.stroke();
    };
    for (const event of inView) mark(event.x, style.getPropertyValue("--event").trim(), isCrowded);
    for (const dead of input?.dead_points ?? []) mark(dead.value, style.getPropertyValue("--warn").trim());
    ctx.restore();
  }

  private buildChips(): void {
    this.values.length = 0;
    this.chips.replaceChildren(
      ...this.lines.map((line) => {
        const value = h("output", { class: "value" });
        this.values.push(value);
        const swatch = h("i", { class: line.dashed ? "swatch dashed" : "swatch", style: `--c: ${line.color}` });
        const name = h("span", { class: "name", title: line.name }, line.name);
        const chip = h("span", { class: "chip" }, swatch, name);
        if (!line.dashed) {
          const drop = () => this.setChannels(this.channels.filter((c) => c !== line.channel));
          const label = `Take ${line.name} out`;
          chip.append(
            h(
              "button",
              { class: "icon tiny", type: "button", "aria-label": label, title: label, onclick: drop },
              icon("close"),
            ),
          );
        }
        chip.append(value);
        return chip;
      }),
    );
    this.element.setAttribute(
      "aria-label",
      `Plot of ${this.lines.map((line) => line.name).join(", ") || "nothing yet"}`,
    );
    this.moveCursor();
  }

  private resize(): void {
    if (this.host.clientWidth === 0) return;
    if (!this.plot) return this.rebuild();
    if (this.plot.width === this.host.clientWidth && this.plot.height === this.height()) return;
    this.plot.setSize({ width: this.host.clientWidth, height: this.height() });
    this.refresh();
  }

  // --- pointer ------------------------------------------------------------------------------------------------------

  private listen(over: HTMLElement): void {
    let zoomFrom: number | null = null;
    const xAt = (event: MouseEvent) => {
      const left = event.clientX - over.getBoundingClientRect().left;
      return this.plot!.posToVal(left, "x");
    };
    over.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      over.setPointerCapture(event.pointerId);
      if (event.shiftKey) zoomFrom = xAt(event);
      else this.scrub(xAt(event));
    });
    over.addEventListener("pointermove", (event) => {
      if (!over.hasPointerCapture(event.pointerId)) return;
      if (zoomFrom === null) return this.scrub(xAt(event));
      const [a, b] = [zoomFrom, xAt(event)].sort((p, q) => p - q).map((x) => this.plot!.valToPos(x, "x"));
      Object.assign(this.box.style, { left: `${a}px`, width: `${b - a}px` });
      this.box.hidden = false;
    });
    over.addEventListener("pointerup", (event) => {
      if (zoomFrom !== null) this.zoomTo(zoomFrom, xAt(event));
      zoomFrom = null;
      this.box.hidden = true;
    });
    over.addEventListener("dblclick", () => (this.state.zoom.value = null));
    over.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const middle = xAt(event);
        const [from, to] = this.range();
        const factor = 1.0015 ** event.deltaY;
        this.zoomTo(middle - (middle - from) * factor, middle + (to - middle) * factor);
      },
      { passive: false },
    );
  }
  private scrub(x: number): void {
    this.state.playing.value = false;
    this.state.seek(x);
  }
  private zoomTo(a: number, b: number): void {
    const [first, last] = this.state.range();
    const from = Math.max(Math.min(a, b), first);
    const to = Math.min(Math.max(a, b), last);
    if (to - from < 2e-6 * (last - first)) return;
    this.state.zoom.value = to - from > 0.999 * (last - first) ? null : [from, to];
  }
}
