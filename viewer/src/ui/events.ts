// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The list of events; the last one before the cursor is marked, and a click goes to any.

import { formatAt, unitText } from "../format";
import type { State } from "../state";
import { h } from "./dom";

const mostShown = 400;

export function makeEvents(state: State): HTMLElement {
  const list = h("ol", { class: "event-list", "aria-label": "Events" });
  let rows: { x: number; element: HTMLElement }[] = [];
  const mark = () => {
    const x = state.cursor.value + 1e-9 * Math.abs(state.cursor.value) + 1e-12;
    let last = -1;
    for (let i = 0; i < rows.length && rows[i].x <= x; ++i) last = i;
    rows.forEach(({ element }, i) => {
      element.classList.toggle("past", i <= last);
      if (i === last) element.setAttribute("aria-current", "true");
      else element.removeAttribute("aria-current");
    });
  };
  state.events.watch((events) => {
    const shown = [...events, ...deadPoints(state)].sort((a, b) => a.x - b.x).slice(-mostShown);
    rows = shown.map((event) => {
      const go = () => {
        state.playing.value = false;
        state.seek(event.x);
      };
      const at = `${formatAt(event.x, Math.min(state.meanStep(), 0.01))} ${unitText(state.samples.axis.unit)}`;
      const button = h(
        "button",
        { type: "button", class: `event ${event.kind === "dead point" ? "dead" : ""}`, onclick: go },
        h("span", { class: "number" }, at),
        h("span", { class: "name" }, event.name),
        h("span", { class: "what" }, event.text),
      );
      return { x: event.x, element: button };
    });
    const none = h("li", { class: "hint" }, "Nothing happened that was looked for.");
    list.replaceChildren(...(rows.length > 0 ? rows.map(({ element }) => h("li", {}, element)) : [none]));
    mark();
  });
  state.cursor.onChange(mark);
  return list;
}

export function deadPoints(state: State): { x: number; name: string; kind: string; text: string }[] {
  const points = state.scene.inputs?.at(-1)?.dead_points ?? [];
  return points.map((point) => ({ x: point.value, name: "dead point", kind: "dead point", text: point.text }));
}

// To the next event after the cursor, or to the one before.
export function jumpToEvent(state: State, forward: boolean): void {
  const all = [...state.events.value, ...deadPoints(state)].map((event) => event.x).sort((a, b) => a - b);
  const near = 1e-9 * (Math.abs(state.cursor.value) + 1);
  const next = forward
    ? all.find((x) => x > state.cursor.value + near)
    : all.reverse().find((x) => x < state.cursor.value - near);
  if (next !== undefined) {
    state.playing.value = false;
    state.seek(next);
  }
}
