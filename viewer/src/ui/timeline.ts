// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The axis as a track: the cursor, events, dead points, stretches without positions; play, step, speed, loop.

import { formatAt, unitText } from "../format";
import type { State } from "../state";
import { h, icon, setPressed, tool } from "./dom";

const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];
const sweepSeconds = 6; // that a whole sweep takes at speed 1

export interface PlayActions {
  toggle: () => void;
  step: (by: number) => void;
  faster: (by: number) => void;
  restart?: () => void;
  setSpeed?: (factor: number) => void;
}

// Moves the cursor as time passes.
export function makePlayer(state: State): PlayActions {
  let last = 0;
  const tick = (now: number) => {
    if (!state.playing.value) return;
    const [first, end] = state.range();
    const perSecond = state.isTime ? 1 : (end - first) / sweepSeconds;
    let x = state.cursor.value + Math.min((now - last) / 1000, 0.25) * perSecond * state.speed.value;
    last = now;
    if (x >= end) {
      if (state.loop.value) x = first;
      else state.playing.value = false;
    }
    state.seek(x);
    requestAnimationFrame(tick);
  };
  state.playing.onChange((playing) => {
    if (!playing) return;
    last = performance.now();
    const [first, end] = state.range();
    if (state.cursor.value >= end) state.seek(first);
    requestAnimationFrame(tick);
  });
  return {
    toggle: () => (state.playing.value = !state.playing.value),
    step: (by) => stepBy(state, by),
    faster: (by) => {
      const at = speeds.findIndex((s) => s >= state.speed.value);
      state.speed.value = speeds[Math.min(Math.max(at + by, 0), speeds.length - 1)];
    },
  };
}

// To the sample that is so many further; of long recordings whole thousandths of the axis.
export function stepBy(state: State, by: number): void {
  state.playing.value = false;
  const { x, count } = state.samples;
  if (count === 0) return;
  let near = 0;
  const at = state.cursor.value;
  for (let low = 0, high = count - 1; low <= high;) {
    const middle = (low + high) >> 1;
    near = middle;
    if (x[middle] < at) low = middle + 1;
    else if (x[middle] > at) high = middle - 1;
    else break;
  }
  if (near > 0 && Math.abs(x[near - 1] - at) < Math.abs(x[near] - at)) --near;
  if (near + 1 < count && Math.abs(x[near + 1] - at) < Math.abs(x[near] - at)) ++near;
  state.seek(x[Math.min(Math.max(near + by, 0), count - 1)]);
}

export function makeTimeline(state: State, play: PlayActions): HTMLElement {
  const toggle = tool("play", "Play", "Space", () => play.toggle());
  state.playing.watch((playing) => {
    toggle.replaceChildren(icon(playing ? "pause" : "play"));
    toggle.setAttribute("aria-label", playing ? "Pause" : "Play");
    toggle.title = `${playing ? "Pause" : "Play"} (Space)`;
  });
  toggle.classList.add("main");
  const loop = tool("loop", "Loop", "L", () => (state.loop.value = !state.loop.value));
  state.loop.watch((on) => setPressed(loop, on));
  const speed = h("select", { class: "speed", "aria-label": "Speed", title: "Speed (, and .)" });
  speed.append(...speeds.map((s) => h("option", { value: s }, `${s}×`)));
  speed.addEventListener("change", () => (state.speed.value = Number(speed.value)));
  state.speed.watch((s) => (speed.value = String(s)));
  const steps = [
    tool("back", "One sample back", "←", () => play.step(-1)),
    toggle,
    tool("forward", "One sample on", "→", () => play.step(1)),
  ];
  const live = liveButton(state);
  const parts = state.samples.grows ? [...steps, live] : [...steps, loop, speed];
  const readout = makeReadout(state);
  return h(
    "footer",
    { class: "timeline", "aria-label": "Time" },
    h("div", { class: "buttons" }, ...parts),
    makeTrack(state),
    readout,
  );
}

function liveButton(state: State): HTMLElement {
  const button = tool("live", "Go to now", "End", () => state.seek(state.range()[1]), "now");
  state.atEdge.watch((on) => setPressed(button, on));
  return button;
}

function makeReadout(state: State): HTMLElement {
  const { axis } = state.samples;
  const now = h("output", { class: "number now" });
  const end = h("span", { class: "number" });
  const update = () => {
    const [first, last] = state.range();
    const step = Math.max(state.meanStep(), (last - first) / 1e5);
    now.textContent = formatAt(state.cursor.value, step);
    end.textContent = ` / ${formatAt(last, Math.max(step, (last - first) / 1000))} ${unitText(axis.unit)}`;
  };
  state.cursor.watch(update);
  state.grown.onChange(update);
  return h(
    "div",
    { class: "readout", title: axis.name },
    h("span", { class: "axis" }, axis.name === "t" ? "t =" : axis.name),
    now,
    end,
  );
}

function makeTrack(state: State): HTMLElement {
  const { axis } = state.samples;
  const thumb = h("div", { class: "thumb" });
  const done = h("div", { class: "done" });
  const marks = h("div", { class: "marks" });
  const track = h(
    "div",
    { class: "track", role: "slider", tabindex: 0, "aria-label": axis.name === "t" ? "Time" : axis.name, id: "track" },
    h("div", { class: "rail" }, done, marks),
    thumb,
  );
  const share = (x: number) => {
    const [first, last] = state.range();
    return last > first ? Math.min(Math.max((x - first) / (last - first), 0), 1) : 0;
  };
  const percent = (x: number) => `${(100 * share(x)).toFixed(3)}%`;
  const move = () => {
    const [first, last] = state.range();
    const x = state.cursor.value;
    thumb.style.left = done.style.width = percent(x);
    track.setAttribute("aria-valuemin", String(first));
    track.setAttribute("aria-valuemax", String(last));
    track.setAttribute("aria-valuenow", String(x));
    track.setAttribute("aria-valuetext", `${formatAt(x, state.meanStep())} ${axis.unit}`);
  };
  const remark = () => marks.replaceChildren(...makeMarks(state, percent));
  state.cursor.watch(move);
  state.events.watch(remark);
  state.grown.onChange(() => {
    move();
    if (state.events.value.length > 0) remark();
  });
  const at = (event: PointerEvent) => {
    const box = track.getBoundingClientRect();
    const [first, last] = state.range();
    state.playing.value = false;
    state.seek(first + ((event.clientX - box.left) / box.width) * (last - first));
  };
  track.addEventListener("pointerdown", (event) => {
    track.setPointerCapture(event.pointerId);
    at(event);
  });
  track.addEventListener("pointermove", (event) => {
    if (track.hasPointerCapture(event.pointerId)) at(event);
  });
  return track;
}

function makeMarks(state: State, percent: (x: number) => string): HTMLElement[] {
  const input = state.scene.inputs?.at(-1);
  const stretches = (input?.imaginary ?? []).map((stretch) => {
    const [a, b] = [stretch.from, stretch.to].sort((p, q) => p - q);
    const title = stretch.text ?? "no position here";
    return h("i", { class: "stretch", title, style: `left: ${percent(a)}; right: calc(100% - ${percent(b)})` });
  });
  const dead = (input?.dead_points ?? []).map((point) =>
    h("i", { class: "mark dead", title: point.text, style: `left: ${percent(point.value)}` }),
  );
  const events = state.events.value
    .slice(-500)
    .map((event) =>
      h("i", { class: "mark", title: `${event.name}: ${event.text}`, style: `left: ${percent(event.x)}` }),
    );
  return [...stretches, ...dead, ...events];
}
