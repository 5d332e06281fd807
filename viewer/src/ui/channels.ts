// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// All channels, found by typing parts of their names; each goes into a plot by a click or by Enter.

import { shownAs, unitText } from "../format";
import type { Panels } from "../plots/panels";
import type { State } from "../state";
import { h, icon } from "./dom";

const mostShown = 60;

// Those of a group together, groups in the order in which they come first.
function byGroup(list: number[], state: State): number[] {
  const groups = new Map<string, number[]>();
  for (const index of list) {
    const { group } = state.samples.channels[index];
    groups.set(group, [...(groups.get(group) ?? []), index]);
  }
  return [...groups.values()].flat();
}

export class ChannelList {
  readonly element: HTMLElement;
  readonly search: HTMLInputElement;
  private readonly list = h("ul", { class: "channel-list", "aria-label": "Channels" });
  private readonly note = h("p", { class: "hint", "aria-live": "polite" });

  constructor(
    private readonly state: State,
    private readonly panels: Panels,
  ) {
    this.search = h("input", {
      type: "search",
      id: "channel-search",
      placeholder: "Search channels: elbow q",
      "aria-label": "Search channels by parts of their names, groups or units",
      autocomplete: "off",
      spellcheck: "false",
    });
    this.search.addEventListener("input", () => this.show());
    this.search.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      const first = this.found()[0];
      if (first !== undefined) this.panels.addChannel(first, event.shiftKey);
    });
    this.element = h("div", { class: "channels" }, this.search, this.list, this.note);
    panels.changed = () => this.show();
    state.degrees.onChange(() => this.show());
    this.show();
  }

  private found(): number[] {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const { channels } = this.state.samples;
    return channels.flatMap((channel, i) => {
      const text = `${channel.name} ${channel.group} ${channel.unit} ${channel.text ?? ""}`.toLowerCase();
      return !channel.hidden && words.every((word) => text.includes(word)) ? [i] : [];
    });
  }

  private show(): void {
    const found = this.found();
    const plotted = new Set(this.panels.plotted);
    let group = "";
    const rows = byGroup(found.slice(0, mostShown), this.state).flatMap((index) => {
      const channel = this.state.samples.channels[index];
      const heading =
        channel.group !== group ? [h("li", { class: "group", role: "presentation" }, channel.group || "other")] : [];
      group = channel.group;
      return [...heading, this.row(index, plotted.has(index))];
    });
    this.list.replaceChildren(...rows);
    const all = this.state.samples.channels.filter((channel) => !channel.hidden).length;
    this.note.textContent =
      found.length === 0
        ? "No channel has all of these words."
        : found.length > mostShown
          ? `${found.length} of ${all}; the first ${mostShown} are shown: type more of the name.`
          : `${found.length} of ${all} channels. Enter plots the first; Shift+Enter in a plot of its own.`;
  }

  private row(index: number, plotted: boolean): HTMLElement {
    const channel = this.state.samples.channels[index];
    const unit = unitText(shownAs(channel.unit, this.state.degrees.value).unit);
    const toggle = () => (plotted ? this.panels.removeChannel(index) : this.panels.addChannel(index, false));
    const button = h(
      "button",
      {
        class: "channel",
        type: "button",
        "aria-pressed": String(plotted),
        title: channel.text ?? channel.frame ?? "",
        onclick: toggle,
      },
      h("span", { class: "name" }, channel.name),
      h("span", { class: "unit" }, unit),
    );
    const label = `Plot ${channel.name} alone`;
    const alone = () => this.panels.addChannel(index, true);
    const own = h(
      "button",
      { class: "icon tiny", type: "button", "aria-label": label, title: label, onclick: alone },
      icon("plus"),
    );
    return h("li", {}, button, own);
  }
}
