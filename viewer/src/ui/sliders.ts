// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Sliders: the inputs of a sweep over their computed range, and the controls of a live scene. Dead points and stretches without positions are
// marked on them.

import { valueAt } from "../draw/arrows";
import { formatNumber, unitText } from "../format";
import { readNumbers } from "../scene/bundle";
import type { DeadPoint, Input, Stretch } from "../scene/types";
import type { State } from "../state";
import { h } from "./dom";

interface SliderSpec {
  id: string;
  name: string;
  unit: string;
  from: number;
  to: number;
  step: number | "any";
  value: number;
  dead_points?: DeadPoint[];
  imaginary?: Stretch[];
}

function makeSlider(
  spec: SliderSpec,
  onInput: (value: number) => void,
): { element: HTMLElement; set: (value: number) => void } {
  const { from, to } = spec;
  const unit = unitText(spec.unit);
  const range = h("input", {
    type: "range",
    id: spec.id,
    min: Math.min(from, to),
    max: Math.max(from, to),
    step: spec.step,
    "aria-label": `${spec.name}${unit ? ` in ${spec.unit}` : ""}`,
  });
  const number = h("input", {
    type: "number",
    step: "any",
    class: "number",
    "aria-label": `${spec.name}, as a number`,
  });
  const percent = (x: number) => `${(100 * (x - Math.min(from, to))) / (Math.abs(to - from) || 1)}%`;
  const marks = h("div", { class: "slider-marks", "aria-hidden": "true" });
  for (const stretch of spec.imaginary ?? []) {
    const [a, b] = [stretch.from, stretch.to].sort((p, q) => p - q);
    marks.append(
      h("i", {
        class: "stretch",
        title: stretch.text ?? "no position here",
        style: `left: ${percent(a)}; right: calc(100% - ${percent(b)})`,
      }),
    );
  }
  for (const dead of spec.dead_points ?? [])
    marks.append(h("i", { class: "mark dead", title: dead.text, style: `left: ${percent(dead.value)}` }));
  const set = (value: number) => {
    if (!range.matches(":active")) range.value = String(value); // else it is in the reader's hand
    if (document.activeElement !== number) number.value = formatNumber(value, 6).replace("\u2212", "-");
  };
  set(spec.value);
  range.addEventListener("input", () => {
    onInput(range.valueAsNumber);
    number.value = formatNumber(range.valueAsNumber, 6).replace("\u2212", "-");
  });
  number.addEventListener("change", () => {
    if (Number.isFinite(number.valueAsNumber)) onInput(number.valueAsNumber);
  });
  const head = h(
    "div",
    { class: "slider-head" },
    h("label", { for: spec.id }, spec.name),
    number,
    h("span", { class: "unit" }, unit),
  );
  return { element: h("div", { class: "slider" }, head, h("div", { class: "slider-track" }, range, marks)), set };
}

// The nearest of the computed values.
function nearest(values: ArrayLike<number>, x: number): number {
  let best = 0;
  for (let i = 1; i < values.length; ++i) if (Math.abs(values[i] - x) < Math.abs(values[best] - x)) best = i;
  return best;
}

function spec(input: Input, id: string, values: ArrayLike<number>, value: number, step: number | "any"): SliderSpec {
  return { ...input, id, from: values[0], to: values[values.length - 1], step, value };
}

export function makeInputs(state: State): HTMLElement | null {
  const inputs = state.scene.inputs ?? [];
  if (inputs.length === 0) return null;
  const all = inputs.map((input) => readNumbers(input.values, state.loaded));
  const chosen = inputs.map((input) => input.start ?? 0);
  const setRow = () => {
    const row = all.slice(0, -1).reduce((sum, values, i) => sum * values.length + chosen[i], 0);
    state.samples.row = row;
    state.grown.value = ++state.samples.version;
  };
  const outer = inputs.slice(0, -1).map((input, i) => {
    const slider = makeSlider(spec(input, `input-${i}`, all[i], all[i][chosen[i]], "any"), (value) => {
      chosen[i] = nearest(all[i], value);
      slider.set(all[i][chosen[i]]);
      setRow();
    });
    return slider.element;
  });
  const last = inputs.length - 1;
  const slider = makeSlider(spec(inputs[last], `input-${last}`, all[last], state.cursor.value, "any"), (value) => {
    state.playing.value = false;
    state.seek(value);
  });
  state.cursor.onChange((x) => slider.set(x));
  if (inputs.length > 1) setRow();
  return h("div", { class: "sliders" }, ...outer, slider.element, makeVerdict(state, inputs[last]));
}

// In words, where the cursor is: at a dead point, or where there is no position.
function makeVerdict(state: State, input: Input): HTMLElement {
  const text = h("p", { class: "verdict", role: "status" });
  const [first, last] = state.range();
  state.cursor.watch((x) => {
    const inside = (input.imaginary ?? []).find((s) => x > Math.min(s.from, s.to) && x < Math.max(s.from, s.to));
    const near = (input.dead_points ?? []).find((p) => Math.abs(p.value - x) < 0.004 * (last - first));
    text.textContent = inside ? (inside.text ?? "No position here: the loops cannot close.") : (near?.text ?? "");
    text.classList.toggle("bad", inside !== undefined);
  });
  return text;
}

export function makeControls(state: State, set: (control: number, value: number) => void): HTMLElement | null {
  const controls = state.scene.controls ?? [];
  if (controls.length === 0) return null;
  const rows = controls.map((control, i) => {
    const step = control.step ?? "any";
    const slider = makeSlider({ ...control, id: `control-${i}`, step }, (value) => set(i, value));
    const { channel } = control;
    if (channel !== undefined) {
      // What it moves may also be moved by dragging, or may not go as far as it was asked to.
      const follow = () => {
        const value = valueAt(state.samples, channel, state.cursor.value);
        if (Number.isFinite(value)) slider.set(value);
      };
      state.grown.onChange(follow);
      state.cursor.onChange(follow);
      slider.element.addEventListener("pointerup", () => setTimeout(follow));
    }
    return slider.element;
  });
  return h("div", { class: "sliders" }, ...rows);
}
