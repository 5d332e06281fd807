// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What is shown: one box to tick for each layer, with the scale of those that have one.

import type { Layer, State } from "../state";
import { h } from "./dom";

const groups: Layer["group"][] = ["Mechanism", "Motion", "Forces", "Surroundings"];

export function makeLayers(state: State): { element: HTMLElement; rebuild: () => void } {
  const element = h("div", { class: "layers" });
  const rebuild = () =>
    element.replaceChildren(
      ...groups.flatMap((group) => {
        const layers = state.layers.filter((layer) => layer.group === group);
        if (layers.length === 0) return [];
        return [h("fieldset", {}, h("legend", {}, group), ...layers.map(row))];
      }),
    );
  rebuild();
  return { element, rebuild };
}

function row(layer: Layer): HTMLElement {
  const box = h("input", { type: "checkbox", id: `layer-${layer.id}` });
  box.addEventListener("change", () => (layer.on.value = box.checked));
  layer.on.watch((on) => (box.checked = on));
  const swatch = layer.color ? h("i", { class: "swatch", style: `--c: ${layer.color}` }) : null;
  const label = h("label", { class: "layer" }, box, h("span", {}, layer.label), swatch);
  if (!layer.adjust) return label;
  const { adjust } = layer;
  const text = h("output", {});
  const slider = h("input", {
    type: "range",
    min: adjust.from,
    max: adjust.to,
    step: adjust.step,
    value: adjust.value.value,
    "aria-label": `${adjust.label} of ${layer.label}`,
  });
  slider.addEventListener("input", () => (adjust.value.value = slider.valueAsNumber));
  const extra = h("div", { class: "adjust" }, slider, text);
  adjust.value.watch(() => (text.textContent = adjust.text()));
  layer.on.watch((on) => {
    extra.hidden = !on;
    text.textContent = adjust.text();
  });
  return h("div", {}, label, extra);
}
