// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// All plots, one below the other, with the same axis. New channels go to the one that was used last.

import type { Scene } from "../scene/types";
import type { State } from "../state";
import { h, icon } from "../ui/dom";
import type { Others } from "./lines";
import { Panel } from "./panel";

export class Panels {
  readonly element = h("div", { class: "panels" });
  readonly panels: Panel[] = [];
  // Called when lines came or went.
  changed: () => void = () => undefined;
  private active: Panel | null = null;
  private readonly list = h("div", { class: "panel-list" });

  constructor(
    private readonly state: State,
    private readonly others: () => Others[],
  ) {
    const zoomBy = (factor: number) => () => this.zoom(factor);
    const button = (name: string, label: string, action: () => void) =>
      h("button", { class: "icon", type: "button", "aria-label": label, title: label, onclick: action }, icon(name));
    const bar = h(
      "div",
      { class: "bar" },
      button("plus", "Zoom plots in at the cursor", zoomBy(0.5)),
      button("minus", "Zoom plots out", zoomBy(2)),
      button("fit", "Show the whole axis", () => (state.zoom.value = null)),
      h("button", { class: "text", type: "button", onclick: () => this.add([]) }, "New plot"),
    );
    this.element.append(this.list, bar);
    for (const channels of firstPlots(state.scene)) this.add(channels);
    state.cursor.onChange(() => this.each((panel) => panel.moveCursor()));
    state.zoom.onChange(() => this.each((panel) => panel.refresh()));
    state.dark.onChange(() => this.rebuild());
    state.degrees.onChange(() => this.rebuild());
    let waiting = false;
    state.grown.onChange(() => {
      if (waiting) return;
      waiting = true;
      setTimeout(
        () => {
          waiting = false;
          this.each((panel) => panel.isCurrent || panel.refresh());
        },
        state.samples.grows ? 150 : 0,
      );
    });
    state.events.onChange(() => this.each((panel) => panel.refresh()));
  }

  add(channels: number[]): Panel {
    const panel = new Panel(this.state, this.others, {
      remove: (gone) => this.remove(gone),
      choose: (chosen) => this.choose(chosen),
      changed: () => this.changed(),
    });
    this.panels.push(panel);
    this.list.append(panel.element);
    this.choose(panel);
    panel.setChannels(channels);
    return panel;
  }

  // A channel joins the plot used last, if its unit fits there; otherwise it gets one of its own.
  addChannel(channel: number, alone: boolean): void {
    const unit = this.state.samples.channels[channel].unit;
    const fits = (panel: Panel) => {
      const units = new Set(panel.channels.map((c) => this.state.samples.channels[c].unit).concat(unit));
      return units.size <= 2;
    };
    const panel = !alone && this.active && fits(this.active) ? this.active : this.add([]);
    if (!panel.channels.includes(channel)) panel.setChannels([...panel.channels, channel]);
    panel.element.scrollIntoView({ block: "nearest" });
  }
  removeChannel(channel: number): void {
    for (const panel of [...this.panels])
      if (panel.channels.includes(channel)) panel.setChannels(panel.channels.filter((c) => c !== channel));
  }
  get plotted(): number[] {
    return [...new Set(this.panels.flatMap((panel) => panel.channels))];
  }
  rebuild(): void {
    this.each((panel) => panel.rebuild());
  }

  private each(action: (panel: Panel) => void): void {
    this.panels.forEach(action);
  }
  private remove(panel: Panel): void {
    this.panels.splice(this.panels.indexOf(panel), 1);
    panel.element.remove();
    if (this.active === panel) this.active = this.panels.at(-1) ?? null;
    this.changed();
  }
  private choose(panel: Panel): void {
    this.active = panel;
    for (const other of this.panels)
      other.element.classList.toggle("active", other === panel && this.panels.length > 1);
  }
  private zoom(factor: number): void {
    const [from, to] = this.state.zoom.value ?? this.state.range();
    const [first, last] = this.state.range();
    const x = this.state.cursor.value;
    const a = Math.max(x - (x - from) * factor, first);
    const b = Math.min(x + (to - x) * factor, last);
    this.state.zoom.value = b - a > 0.999 * (last - first) ? null : [a, b];
  }
}

// What the scene asks for; else the first coordinates and the energy.
function firstPlots(scene: Scene): number[][] {
  const series = scene.series;
  if (!series || scene.kind === "mechanism") return [];
  if (series.plots) return series.plots;
  const shown = series.channels.map((channel, i) => ({ channel, i })).filter(({ channel }) => !channel.hidden);
  const first = shown[0];
  if (!first) return [];
  const alike = shown.filter(
    ({ channel }) => channel.group === first.channel.group && channel.unit === first.channel.unit,
  );
  return [alike.slice(0, 3).map(({ i }) => i)];
}
