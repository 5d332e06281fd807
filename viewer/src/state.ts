// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What the parts of the page share: the scene, the cursor, what is shown. Parts watch signals and know nothing of each other.

import type { Loaded } from "./scene/bundle";
import { samplesOf, type Samples } from "./scene/samples";
import type { Scene, SceneEvent } from "./scene/types";
import { Signal } from "./signal";

export type ViewName = "perspective" | "xy" | "xz" | "yz";

export interface Layer {
  id: string;
  label: string;
  group: "Mechanism" | "Motion" | "Forces" | "Surroundings";
  on: Signal<boolean>;
  color?: string;
  // A number that belongs to it: the scale of arrows, how many ghosts.
  adjust?: { label: string; value: Signal<number>; from: number; to: number; step: number; text: () => string };
}

// What the pointer is at, or what was chosen.
export interface Item {
  kind: "body" | "joint" | "point" | "spring" | "constraint";
  index: number;
}

export class State {
  readonly scene: Scene;
  readonly samples: Samples;
  readonly cursor = new Signal(0);
  readonly playing = new Signal(false);
  readonly speed = new Signal(1);
  readonly loop = new Signal(true);
  readonly dark = new Signal(false);
  readonly view = new Signal<ViewName>("perspective");
  readonly follow = new Signal(false);
  readonly degrees = new Signal(true);
  readonly zoom = new Signal<[number, number] | null>(null); // of plots, on the axis
  readonly hover = new Signal<Item | null>(null);
  readonly selection = new Signal<Item | null>(null);
  readonly layers: Layer[] = [];
  readonly events = new Signal<SceneEvent[]>([]);
  readonly warnings = new Signal<string[]>([]);
  readonly reason = new Signal("");
  readonly grown = new Signal(0); // samples.version: there are more samples, or another row of them
  readonly realTimeFactor = new Signal(NaN); // of a live simulation
  readonly pulling = new Signal(false); // live: the reader has a body in hand
  readonly ended = new Signal(false); // live: nothing more will come
  readonly atEdge = new Signal(true); // live: the cursor stays at the newest sample

  constructor(readonly loaded: Loaded) {
    this.scene = loaded.scene;
    this.samples = samplesOf(loaded);
    this.events.value = this.scene.series?.events ?? [];
    this.warnings.value = this.scene.warnings ?? [];
    this.degrees.value = (this.scene.units?.angle?.name ?? "deg") !== "rad";
    const start = this.scene.inputs?.at(-1)?.start;
    this.cursor.value = start === undefined ? this.range()[0] : this.samples.x[start];
  }

  get hasAxis(): boolean {
    return this.samples.grows || this.samples.count > 1;
  }
  get isTime(): boolean {
    return this.samples.axis.unit === "s";
  }

  // First and last value of the axis.
  range(): [number, number] {
    const { x, count } = this.samples;
    return count === 0 ? [0, 0] : [x[0], x[count - 1]];
  }
  // Between two samples, as they lie on average.
  meanStep(): number {
    const [first, last] = this.range();
    return (last - first) / Math.max(this.samples.count - 1, 1) || 1;
  }

  // Moves the cursor, within the range.
  seek(x: number): void {
    const [first, last] = this.range();
    this.atEdge.value = x >= last;
    this.cursor.value = Math.min(Math.max(x, first), last);
  }

  layer(id: string): Layer | undefined {
    return this.layers.find((layer) => layer.id === id);
  }
  // Adds a layer to the list, once.
  addLayer(id: string, label: string, group: Layer["group"], on: boolean, color?: string): Layer {
    const there = this.layer(id);
    if (there) return there;
    const layer: Layer = { id, label, group, on: new Signal(on), color };
    this.layers.push(layer);
    return layer;
  }

  bodyName(index: number): string {
    return index < 0 ? "ground" : this.scene.bodies[index].name;
  }
  nameOf(item: Item): string {
    const { scene } = this;
    switch (item.kind) {
      case "body":
        return this.bodyName(item.index);
      case "joint":
        return scene.joints![item.index].name;
      case "point":
        return scene.points![item.index].name;
      case "spring":
        return scene.springs![item.index].name;
      case "constraint":
        return scene.constraints![item.index].name;
    }
  }
}
