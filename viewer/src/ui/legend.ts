// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// How long things are in the picture: the grid, and the arrows that are shown.

import { formatWithUnit } from "../format";
import { arrowColor } from "../palette";
import type { State } from "../state";
import type { World } from "../draw/world";
import { Vector3 } from "three";
import { h } from "./dom";

export function makeLegend(state: State, world: World): HTMLElement {
  const element = h("div", { class: "legend", "aria-hidden": "true" });
  const { stage } = world;
  const length = state.scene.units?.length ?? { name: "m", per_si: 1 };
  let last = "";
  stage.afterDraw.add(() => {
    // Pixels for one metre, at the target.
    const camera = stage.rig.camera;
    const a = stage.rig.target.clone().project(camera);
    const right = new Vector3().setFromMatrixColumn(camera.matrixWorld, 0).divideScalar(stage.extent.radius);
    const b = stage.rig.target.clone().add(right).project(camera);
    const perMetre = (Math.abs(b.x - a.x) / 2) * stage.host.clientWidth;
    const rows: [string, string, number][] = [];
    if (state.layer("grid")?.on.value || state.layer("terrain")?.on.value)
      rows.push([
        "var(--muted)",
        `grid ${formatWithUnit(world.gridSpacing * length.per_si, length.name)}`,
        world.gridSpacing * perMetre,
      ]);
    for (const set of world.overlays.arrowSets)
      if (state.layer(set.kind)?.on.value && set.legend > 0)
        rows.push([
          arrowColor[set.kind],
          `${set.kind} ${formatWithUnit(set.legend, set.unit)}`,
          set.legend * set.perUnit * perMetre,
        ]);
    const key = JSON.stringify(rows.map(([c, t, l]) => [c, t, Math.round(l)]));
    if (key === last) return;
    last = key;
    element.hidden = rows.length === 0;
    element.replaceChildren(
      ...rows
        .filter(([, , size]) => size > 2 && size < 2000)
        .map(([color, text, size]) =>
          h("div", {}, h("i", { style: `width: ${size.toFixed(0)}px; --c: ${color}` }), text),
        ),
    );
  });
  return element;
}
