// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What is drawn over the mechanism from the series: trails, arrows, instant centres, ellipsoids, ghosts.

import { Object3D, Vector3 } from "three";
import { formatWithUnit } from "../format";
import { arrowColor, lineColor, themeOf } from "../palette";
import type { Poses, Samples } from "../scene/samples";
import type { ArrowKind, Ghost } from "../scene/types";
import { Signal } from "../signal";
import type { Loaded } from "../scene/bundle";
import { ArrowSet, placeInWorld, valueAt } from "./arrows";
import { ghostMaterial, GhostCopy, Positions, samplesOfGhost } from "./ghosts";
import { drawInstantCentre, EllipsoidMark } from "./markers";
import { fillTrails, Trail } from "./trails";
import type { World } from "./world";

const arrowNames: Record<ArrowKind, string> = {
  velocity: "Velocities",
  acceleration: "Accelerations",
  reaction: "Reactions",
  moment: "Moments",
  contact: "Contact forces",
  buoyancy: "Buoyancy",
  drag: "Drag",
  thrust: "Thrust",
  load: "Loads",
  weight: "Weights",
};

export class Overlays {
  readonly arrowSets: ArrowSet[] = [];
  readonly trails: Trail[] = [];
  readonly ghosts: GhostCopy[] = [];
  readonly ghostSamples: { name: string; samples: Samples }[] = [];
  private readonly updates: ((poses: Poses, x: number) => void)[] = [];
  private readonly size: number;
  private trailsFilled = -1;

  constructor(private readonly world: World) {
    this.size = world.extent.radius;
    this.buildTrails();
    this.buildArrows();
    this.buildInstantCentres();
    this.buildEllipsoids();
    this.buildPositions();
    for (const ghost of world.state.scene.ghosts ?? []) this.addGhost(ghost, world.state.loaded);
    let waiting = false;
    world.state.grown.onChange(() => {
      // Paths of a running simulation are drawn anew some times a second.
      if (waiting) return;
      waiting = true;
      setTimeout(() => {
        waiting = false;
        this.refill();
        this.update(world.poses, world.state.cursor.value);
        world.stage.draw();
      }, 250);
    });
  }

  update(poses: Poses, x: number): void {
    for (const action of this.updates) action(poses, x);
  }

  private refill(): void {
    const { samples, scene } = this.world.state;
    if (this.trailsFilled === samples.version) return;
    this.trailsFilled = samples.version;
    fillTrails(this.trails, samples, scene.bodies.length);
    if (samples.grows) for (const set of this.arrowSets) set.measure();
  }

  private buildTrails(): void {
    const { world } = this;
    const { state } = world;
    const points = (state.scene.points ?? []).filter((point) => point.trail !== false && point.body >= 0);
    if (points.length === 0 || !state.hasAxis) return;
    for (const point of points) this.trails.push(new Trail(point, world.extent.centre, 0.008 * this.size));
    for (const trail of this.trails) world.stage.root.add(trail.group, trail.ticks);
    state.dark.watch((dark) => this.trails.forEach((trail, i) => trail.setColor(lineColor(i, dark))));
    this.refill();
    world.inLayer(
      "trails",
      "Paths of points",
      "Motion",
      true,
      this.trails.map((trail) => trail.group),
    );
    const every = state.isTime ? "equal times" : `equal steps of ${state.samples.axis.name}`;
    world.inLayer(
      "ticks",
      `Ticks at ${every}`,
      "Motion",
      true,
      this.trails.map((trail) => trail.ticks),
    );
    this.updates.push((_, x) => this.trails.forEach((trail) => trail.update(x)));
  }

  private buildArrows(): void {
    const { world } = this;
    const { scene, samples } = world.state;
    const all = scene.series?.arrows ?? [];
    for (const kind of new Set(all.map((arrow) => arrow.kind))) {
      const set = new ArrowSet(
        kind,
        all.filter((arrow) => arrow.kind === kind),
        scene,
        samples,
        this.size,
      );
      this.arrowSets.push(set);
      world.stage.root.add(...set.meshes);
      const group = kind === "velocity" || kind === "acceleration" ? "Motion" : "Forces";
      const layer = world.inLayer(kind, arrowNames[kind], group, false, set.meshes, arrowColor[kind]);
      const text = () => `longest ${formatWithUnit(set.largest, set.unit, 3)}`;
      layer.adjust = { label: "Scale", value: set.scale, from: 0.1, to: 5, step: 0.1, text };
      const update = () => {
        if (layer.on.value) set.update(world.poses, world.state.cursor.value);
      };
      layer.on.onChange(update);
      set.scale.onChange(() => {
        update();
        world.stage.draw();
      });
      this.updates.push(update);
    }
  }

  private buildInstantCentres(): void {
    const { world } = this;
    const { scene, samples } = world.state;
    const list = scene.series?.instant_centres ?? [];
    if (list.length === 0) return;
    const marks = list.map((centre) => {
      const mark = drawInstantCentre(0.02 * this.size, "#b3568c");
      if (scene.plane)
        mark.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(...scene.plane.normal).normalize());
      world.stage.root.add(mark);
      this.updates.push((_, x) => {
        mark.position.set(...(centre.channels.map((c) => valueAt(samples, c, x)) as [number, number, number]));
        const distance = mark.position.distanceTo(world.extent.centre);
        mark.scale.setScalar(Number.isFinite(distance) ? 1 : 0);
        if (!Number.isFinite(distance)) mark.position.copy(world.extent.centre);
      });
      return mark;
    });
    const layer = world.inLayer("instant-centres", "Instant centres", "Motion", false, marks, "#b3568c");
    list.forEach((centre, i) =>
      world.labels.add({
        text: centre.name,
        kind: "centre",
        at: () => marks[i].position.clone(),
        shown: () => layer.on.value && marks[i].scale.x > 0,
      }),
    );
  }

  private buildEllipsoids(): void {
    const { world } = this;
    const { scene, samples } = world.state;
    const list = scene.series?.ellipsoids ?? [];
    if (list.length === 0) return;
    const scale = new Signal(1);
    const axesAt = (i: number, x: number): number[] => {
      const { axes } = list[i];
      return Array.isArray(axes) ? axes : axes.channels.map((c) => valueAt(samples, c, x));
    };
    let largest = 0;
    for (let k = 0; k < Math.min(samples.count, 200); ++k)
      list.forEach((_, i) => {
        const x = samples.x[Math.floor((k * samples.count) / Math.min(samples.count, 200))];
        const axes = axesAt(i, x);
        for (let c = 0; c < 9; c += 3) largest = Math.max(largest, Math.hypot(axes[c], axes[c + 1], axes[c + 2]) || 0);
      });
    const perUnit = () => (largest > 0 ? (0.5 * this.size * scale.value) / largest : 0);
    const marks = list.map((ellipsoid, i) => {
      const mark = new EllipsoidMark("#cc79a7");
      world.stage.root.add(mark.group);
      this.updates.push((poses, x) => {
        const at = placeInWorld(ellipsoid.at, scene, samples, poses, x);
        mark.set(
          at,
          axesAt(i, x).map((a) => a * perUnit()),
        );
        mark.group.visible &&= layer.on.value;
      });
      return mark.group;
    });
    const layer = world.inLayer("ellipsoids", `Ellipsoids of ${list[0].kind}`, "Motion", false, marks, "#cc79a7");
    const text = () => `largest ${formatWithUnit(largest, list[0].unit, 3)}`;
    layer.adjust = { label: "Scale", value: scale, from: 0.1, to: 5, step: 0.1, text };
    const again = () => world.update();
    layer.on.onChange(again);
    scale.onChange(again);
  }

  private buildPositions(): void {
    const { world } = this;
    const { state, solids } = world;
    if (!state.hasAxis || state.samples.grows) return;
    const material = ghostMaterial("#888888", 0.22);
    const positions = new Positions(solids, state.samples, material);
    world.stage.root.add(positions.group);
    state.dark.watch((dark) => material.color.set(themeOf(dark).ghost));
    const count = new Signal(8);
    const layer = world.inLayer("positions", "Other positions", "Motion", false, [positions.group]);
    layer.adjust = {
      label: "How many",
      value: count,
      from: 2,
      to: 24,
      step: 1,
      text: () => `${count.value} at equal steps`,
    };
    const fill = () => {
      if (layer.on.value) positions.set(count.value, ...state.range());
      world.stage.draw();
    };
    for (const signal of [layer.on, count, state.grown]) (signal as Signal<unknown>).onChange(fill);
  }

  // Another position or a second recording, from this scene or from a file that was dropped.
  addGhost(ghost: Ghost, loaded: Loaded): void {
    const { world } = this;
    const samples = samplesOfGhost(ghost, loaded, world.state.samples.axis.unit);
    const copy = new GhostCopy(ghost, samples, world.solids as Object3D[], "#6b7785");
    this.ghosts.push(copy);
    if (samples) this.ghostSamples.push({ name: ghost.name, samples });
    world.stage.root.add(copy.group);
    const id = `ghost-${this.ghosts.length}`;
    world.inLayer(id, `Ghost: ${ghost.name}`, "Motion", true, [copy.group], ghost.color ?? "#6b7785");
    this.updates.push((_, x) => copy.update(x));
    copy.update(world.state.cursor.value);
  }
}
