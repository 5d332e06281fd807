// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What the reader may take along: a picture, the plots, the numbers, a film.

import type { World } from "../draw/world";
import type { Panels } from "../plots/panels";
import { plotsAsSvg } from "../plots/svg";
import { findSample } from "../scene/samples";
import type { State } from "../state";
import { h, icon, saveFile } from "./dom";
import { closeOutside } from "./header";

const fileName = (state: State, ending: string) => `${state.scene.name.replace(/[^\p{L}\p{N}._-]+/gu, "_")}.${ending}`;

export function savePng(state: State, world: World): void {
  world.stage.drawNow(); // in the same task, while the picture is still there
  world.stage.renderer.domElement.toBlob((blob) => blob && saveFile(fileName(state, "png"), blob), "image/png");
}

export function saveSvg(state: State, panels: Panels): void {
  const svg = plotsAsSvg(
    panels.panels.filter((panel) => panel.lines.length > 0),
    state,
  );
  saveFile(fileName(state, "svg"), new Blob([svg], { type: "image/svg+xml" }));
}

// A value as it came, in as few digits as tell it from its neighbours: most numbers of a scene have 24 bits.
export function shortest(value: number): string {
  if (!Number.isFinite(value)) return ""; // a value that is not there is an empty cell
  if (Math.fround(value) !== value) return String(Number(value.toPrecision(15)));
  for (let digits = 6; digits < 9; ++digits) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(Number(value.toPrecision(9)));
}

// A header "t [s],elbow.q [rad]" and a line for each sample, as trammel writes them. No two columns have one name: of two,
// the second tells its group or its number.
export function csvOf(state: State, wanted: number[]): string {
  const { samples } = state;
  const quote = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const title = (name: string, unit: string) => (unit === "" || unit === "1" ? name : `${name} [${unit}]`);
  const head = [title(samples.axis.name, samples.axis.unit)];
  const isAxis = (c: number) => {
    const { name, unit } = samples.channels[c];
    if (title(name, unit) !== head[0]) return false;
    const values = samples.values(c);
    const close = 1e-6 * Math.max(Math.abs(samples.x[0]), Math.abs(samples.x[samples.count - 1]));
    for (let i = 0; i < samples.count; ++i) if (!(Math.abs(values[i] - samples.x[i]) <= close)) return false;
    return true;
  };
  const channels = wanted.filter((c) => !isAxis(c)); // it would stand there twice
  for (const c of channels) {
    const { name, unit, group } = samples.channels[c];
    let own = title(name, unit);
    if (head.includes(own) && group) own = title(`${name} (${group})`, unit);
    for (let k = 2; head.includes(own); ++k) own = title(`${name} (${k})`, unit);
    head.push(own);
  }
  const columns = channels.map((c) => samples.values(c));
  const zoom = state.zoom.value ?? state.range();
  const first = findSample(samples.x, samples.count, zoom[0]);
  const last = findSample(samples.x, samples.count, zoom[1]);
  const lines = [head.map(quote).join(",")];
  for (let i = first; i <= last && i < samples.count; ++i)
    lines.push([shortest(samples.x[i]), ...columns.map((column) => shortest(column[i]))].join(","));
  return `${lines.join("\n")}\n`;
}

export function saveCsv(state: State, channels: number[]): void {
  saveFile(fileName(state, "csv"), new Blob([csvOf(state, channels)], { type: "text/csv" }));
}

// Plays from the beginning to the end once, and records what is drawn.
export async function saveWebm(state: State, world: World, progress: (share: number) => void): Promise<void> {
  const stream = world.stage.renderer.domElement.captureStream(30);
  const kind = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"].find((k) =>
    MediaRecorder.isTypeSupported(k),
  );
  if (!kind) throw new Error("This browser cannot record WebM.");
  const recorder = new MediaRecorder(stream, { mimeType: kind, videoBitsPerSecond: 8e6 });
  const parts: Blob[] = [];
  recorder.ondataavailable = (event) => parts.push(event.data);
  const stopped = new Promise((resolve) => (recorder.onstop = resolve));
  const [first, last] = state.range();
  const loop = state.loop.value;
  state.loop.value = false;
  state.seek(first);
  recorder.start();
  const stand = () => new Promise((resolve) => setTimeout(resolve, 250)); // the first and the last picture are seen for a while
  await stand();
  state.playing.value = true;
  await new Promise<void>((resolve) => {
    const unwatch = state.cursor.onChange((x) => progress((x - first) / (last - first)));
    const end = state.playing.onChange(() => {
      unwatch();
      end();
      resolve();
    });
  });
  await stand();
  recorder.stop();
  await stopped;
  for (const track of stream.getTracks()) track.stop();
  state.loop.value = loop;
  saveFile(fileName(state, "webm"), new Blob(parts, { type: "video/webm" }));
}

export function makeExports(state: State, world: World, panels: Panels): HTMLDetailsElement {
  const status = h("p", { class: "hint", role: "status" });
  const item = (label: string, hint: string, action: () => void | Promise<void>) =>
    h(
      "button",
      {
        class: "menu-item",
        type: "button",
        onclick: () => {
          status.textContent = "";
          Promise.resolve()
            .then(action)
            .catch((error: unknown) => (status.textContent = error instanceof Error ? error.message : String(error)));
        },
      },
      h("b", {}, label),
      h("span", {}, hint),
    );
  const plotted = () => {
    if (panels.plotted.length === 0) throw new Error("Plot a channel first.");
    return panels.plotted;
  };
  const items = [item("PNG", "the view as it is", () => savePng(state, world))];
  if (state.samples.channels.length > 0) {
    const all = () => state.samples.channels.flatMap((channel, i) => (channel.hidden ? [] : [i]));
    items.push(
      item("SVG", "all plots", () => (plotted(), saveSvg(state, panels))),
      item("CSV", "the channels that are plotted", () => saveCsv(state, plotted())),
      item("CSV", "all channels", () => saveCsv(state, all())),
    );
  }
  if (state.hasAxis && !state.samples.grows)
    items.push(
      item("WebM", "a film of the playback, at this speed", () =>
        saveWebm(state, world, (share) => (status.textContent = `recording: ${Math.round(100 * share)} %`)).then(() => {
          status.textContent = "recorded";
        }),
      ),
    );
  const summary = h("summary", { class: "tool", title: "Export", "aria-label": "Export" }, icon("export"));
  const details = h(
    "details",
    { class: "popup", id: "exports" },
    summary,
    h("div", { class: "menu" }, ...items, status),
  );
  closeOutside(details);
  return details;
}
