// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Names over the picture: plain text of the page, moved to where things are seen.

import { Vector3 } from "three";
import type { Stage } from "./stage";

export interface Label {
  text: string;
  kind: string; // its class
  at: () => Vector3 | null; // in W; nothing: not now
  shown: () => boolean;
}

const mostRows = 4;

export class Labels {
  readonly element = document.createElement("div");
  private readonly items: { label: Label; element: HTMLElement }[] = [];

  constructor(private readonly stage: Stage) {
    this.element.className = "labels";
    this.element.setAttribute("aria-hidden", "true");
    stage.host.append(this.element);
    stage.afterDraw.add(() => this.update());
  }

  add(label: Label): void {
    const element = document.createElement("span");
    element.className = `label ${label.kind}`;
    element.textContent = label.text;
    element.hidden = true;
    this.element.append(element);
    this.items.push({ label, element });
  }

  private update(): void {
    const { clientWidth, clientHeight } = this.stage.host;
    const taken: { x: number; y: number; width: number }[] = [];
    for (const { label, element } of this.items) {
      const p = label.shown() ? label.at() : null;
      if (p) this.stage.toStage(p).project(this.stage.rig.camera);
      const inside = p !== null && Math.abs(p.x) < 1.05 && Math.abs(p.y) < 1.05 && p.z < 1;
      element.hidden = !inside;
      if (!inside) continue;
      const x = ((p.x + 1) / 2) * clientWidth;
      let y = ((1 - p.y) / 2) * clientHeight;
      // One below the other where they would overlap; a name too far from what it names is left out until there is room.
      const width = 7 * label.text.length + 14;
      const clashing = () => taken.find((t) => Math.abs(t.x - x) < (t.width + width) / 2 && Math.abs(t.y - y) < 17);
      let clash = clashing();
      for (let tries = 0; clash && tries < mostRows; ++tries, clash = clashing()) y = clash.y + 17;
      if (clash) {
        element.hidden = true;
        continue;
      }
      taken.push({ x, y, width });
      element.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    }
  }
}
