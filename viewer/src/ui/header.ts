// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The head of the page: what it is, how freely it moves, and how far its numbers can be trusted. Always visible.

import { valueAt } from "../draw/arrows";
import { formatNumber, formatWithUnit } from "../format";
import type { Samples } from "../scene/samples";
import type { Watched } from "../scene/types";
import type { State } from "../state";
import { h, icon } from "./dom";

const kinds = { mechanism: "mechanism", sweep: "sweep", recording: "recording", live: "live" };

export function makeHeader(state: State, tools: HTMLElement): HTMLElement {
  const { scene } = state;
  const mobility = scene.mobility?.text ?? "mobility unknown";
  const facts = h("dl", { class: "facts", "aria-label": "How it stands" });
  facts.append(...fact("Mobility", h("span", {}, mobility), scene.mobility?.detail));
  facts.append(...watchedFacts(state));
  const title = h("h1", { title: scene.file ?? scene.name }, scene.name);
  const badge = h("span", { class: `badge ${scene.kind}` }, kinds[scene.kind]);
  state.ended.onChange(() => {
    badge.textContent = "ended";
    badge.classList.remove(scene.kind);
  });
  return h("header", { class: "head" }, h("div", { class: "title" }, title, badge), facts, makeWarnings(state), tools);
}

function fact(label: string, value: HTMLElement, detail?: string): HTMLElement[] {
  return [h("div", { class: "fact", title: detail }, h("dt", {}, label), h("dd", {}, value))];
}

// The largest size of a watched number over all samples.
function largest(samples: Samples, watched: Watched): number {
  if (watched.channel === undefined) return Math.abs(watched.value ?? NaN);
  const values = samples.values(watched.channel);
  let most = 0;
  for (let i = 0; i < samples.count; ++i) if (Math.abs(values[i]) > most) most = Math.abs(values[i]);
  return most;
}

function watchedFacts(state: State): HTMLElement[] {
  const { samples } = state;
  const status = state.scene.status ?? {};
  const now = (watched: Watched | undefined) =>
    watched?.channel === undefined ? (watched?.value ?? NaN) : valueAt(samples, watched.channel, state.cursor.value);
  const out: HTMLElement[] = [];
  const show = (label: string, text: () => string, hint: () => string, most: () => string = () => "") => {
    const value = h("span", { class: "number" });
    const limit = h("span", { class: "number most" });
    const parts = fact(label, h("span", {}, value, limit));
    const grown = () => {
      parts[0].title = hint();
      limit.textContent = most();
    };
    grown();
    state.grown.onChange(grown);
    const update = () => (value.textContent = text());
    state.cursor.watch(update);
    for (const signal of [state.grown, state.realTimeFactor]) signal.onChange(update);
    out.push(...parts);
  };
  const energy = status.energy_error;
  const energyText = (value: number) =>
    energy?.relative_to ? formatNumber(value / energy.relative_to, 2) : formatWithUnit(value, energy?.unit ?? "J", 2);
  const ofChannel = (watched: Watched | undefined, text: (value: number) => string) => () =>
    watched?.channel === undefined ? "" : ` max ${text(largest(samples, watched))}`;
  show(
    "Energy error",
    () => (energy ? energyText(now(energy)) : "–"),
    () =>
      energy
        ? `largest ${formatWithUnit(largest(samples, energy), energy.unit ?? "J", 3)}`
        : state.scene.kind === "sweep"
          ? "positions have no energy error"
          : "not computed here",
    ofChannel(energy, energyText),
  );
  const drift = status.loop_drift;
  const metres = (value: number) => formatWithUnit(value, "m", 2);
  show(
    "Loop drift",
    () => (drift?.position ? metres(now(drift.position)) : "–"),
    () => {
      if (!drift?.orientation) return drift ? "gap of the loops" : "no loops, or not computed here";
      return `largest turn ${formatWithUnit(largest(samples, drift.orientation), "rad", 3)}`;
    },
    ofChannel(drift?.position, metres),
  );
  const factor = status.real_time_factor;
  show(
    "Real-time factor",
    () => {
      const value = typeof factor === "number" ? factor : factor ? now(factor) : state.realTimeFactor.value;
      return Number.isFinite(value) ? `${formatNumber(value, 3)}×` : "–";
    },
    () => {
      if (factor !== undefined || state.samples.grows) return "simulated time over computing time";
      if (state.scene.kind !== "recording") return "no time passes here";
      return "simulated time over computing time: not in recordings, which are the same bytes on every machine";
    },
  );
  return out;
}

function makeWarnings(state: State): HTMLElement {
  const count = h("span", { class: "number" });
  const word = h("span", { class: "word" });
  const list = h("ul", { class: "warning-list" });
  const summary = h("summary", { class: "tool warn" }, icon("warning"), h("span", {}, count, " ", word));
  const details = h("details", { class: "popup warnings" }, summary, list);
  state.warnings.watch((warnings) => {
    count.textContent = warnings.length === 0 ? "no" : String(warnings.length);
    word.textContent = warnings.length === 1 ? "warning" : "warnings";
    summary.setAttribute("aria-label", `${count.textContent} ${word.textContent}`);
    details.classList.toggle("none", warnings.length === 0);
    list.replaceChildren(...(warnings.length > 0 ? warnings : ["Nothing to warn of."]).map((w) => h("li", {}, w)));
  });
  closeOutside(details);
  return details;
}

// A popup ends with Escape, or with a click elsewhere.
export function closeOutside(details: HTMLDetailsElement): void {
  addEventListener("pointerdown", (event) => {
    if (!details.contains(event.target as Node)) details.open = false;
  });
  details.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !details.open) return;
    details.open = false;
    details.querySelector("summary")?.focus();
    event.stopPropagation();
  });
}
