// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The scene in three dimensions: builds everything once, hangs it into layers, and moves it to where the cursor is.

import { Box3, Group, LineBasicMaterial, MeshStandardMaterial, Object3D, Vector3 } from "three";
import { bodyColor, themeOf } from "../palette";
import { restingPoses, type Poses } from "../scene/samples";
import type { Joint, Scene } from "../scene/types";
import { Signal } from "../signal";
import type { Item, Layer, State } from "../state";
import { roundStep } from "../format";
import { drawConstraint, drawCoupling, drawSpring, pointInWorld, travelOf, type Connection } from "./connections";
import { findExtent, findPoints, somePoses } from "./extent";
import { axisOf, matrixOf, originOf, place, vector } from "./geometry";
import { GrowingView } from "./growing_view";
import { drawBracket, drawJoint, type JointStyle } from "./joints";
import { drawLink, placesOf } from "./links";
import { Labels } from "./labels";
import { drawCentre, drawContact, drawFrame, drawPoint } from "./markers";
import { MeshShelf } from "./meshes";
import { Overlays } from "./overlays";
import { solidMaterial, solidOf } from "./solids";
import { cornersOf, Stage, type Extent } from "./stage";
import { drawTerrain, Floor, WaterSurface } from "./surroundings";

// Faces of two bodies in one plane: one is always before the other, where they would flicker through each other.
function setApart(solid: Object3D, index: number): void {
  solid.traverse((part) => {
    const { material } = part as { material?: MeshStandardMaterial };
    if (!(material instanceof MeshStandardMaterial)) return;
    material.polygonOffset = true;
    material.polygonOffsetFactor = 0.4 * (index % 8);
    material.polygonOffsetUnits = 4 * (index % 8);
  });
}

export class World {
  readonly stage: Stage;
  readonly extent: Extent;
  readonly poses: Poses;
  readonly bodies: Group[] = []; // in W, in the order of the scene
  readonly solids: Group[] = []; // what is solid of each
  readonly ground = new Group(); // W itself
  readonly labels: Labels;
  readonly overlays: Overlays;
  readonly noPosition = new Signal(false); // the cursor is where there is none
  readonly gridSpacing: number;
  private readonly scene: Scene;
  private readonly shelf: MeshShelf;
  private readonly updates: ((poses: Poses, x: number) => void)[] = [];
  private readonly metal = new MeshStandardMaterial({ roughness: 0.42, metalness: 0.35 });
  private readonly accent = new MeshStandardMaterial({ roughness: 0.5, metalness: 0.2 });
  private readonly line = new LineBasicMaterial();
  private readonly floor: Floor;
  private readonly size: number; // of symbols, m
  private readonly lastCentre = new Vector3();
  private readonly someSamples: Poses[];
  private readonly growing: GrowingView | null = null; // of live scenes

  constructor(
    readonly state: State,
    host: HTMLElement,
  ) {
    this.scene = state.scene;
    this.shelf = new MeshShelf(state.loaded);
    const up = vector(this.scene.up ?? [0, 0, 1]).normalize();
    this.someSamples = somePoses(state.samples, this.scene.bodies.length, 80);
    const points = findPoints(this.scene, this.shelf);
    this.extent = findExtent(this.scene, this.someSamples, points);
    const normal = this.scene.plane ? vector(this.scene.plane.normal).normalize() : null;
    this.stage = new Stage(host, up, this.extent, normal);
    if (state.samples.grows) this.growing = new GrowingView(state, this.stage, points);
    this.size = 0.024 * Math.min(this.extent.radius, 3 * this.typicalLink());
    this.gridSpacing = roundStep(this.extent.radius * 0.75);
    this.poses = restingPoses(this.scene.bodies);
    this.labels = new Labels(this.stage);
    this.stage.root.add(this.ground);
    this.buildBodies(normal);
    this.buildJoints(up);
    this.buildConnections();
    this.buildMarkers();
    this.floor = this.buildFloor(up, normal);
    this.buildSurroundings(up);
    this.overlays = new Overlays(this);
    this.buildLabels();
    this.connect();
  }

  // --- layers -------------------------------------------------------------------------------------------------------

  // Shows these objects when the layer is on.
  inLayer(id: string, label: string, group: Layer["group"], on: boolean, objects: Object3D[], color?: string): Layer {
    const layer = this.state.addLayer(id, label, group, on, color);
    layer.on.watch((visible) => {
      for (const object of objects) object.visible = visible;
      this.stage.draw();
    });
    return layer;
  }
  onUpdate(action: (poses: Poses, x: number) => void): void {
    this.updates.push(action);
  }
  holder(body: number): Group {
    return body < 0 ? this.ground : this.bodies[body];
  }

  // --- building -----------------------------------------------------------------------------------------------------

  private buildBodies(normal: Vector3 | null): void {
    const { scene, shelf } = this;
    scene.bodies.forEach((body, i) => {
      const color = body.color ?? bodyColor(i);
      const solid = new Group();
      for (const shape of body.shapes) {
        const object = solidOf(shape, color, shelf);
        if (object) solid.add(object);
      }
      if (solid.children.length === 0) solid.add(this.linkOf(i, color, normal));
      setApart(solid, i);
      solid.userData.item = { kind: "body", index: i } satisfies Item;
      const group = new Group().add(solid);
      this.bodies.push(group);
      this.solids.push(solid);
      this.stage.root.add(group);
    });
    this.inLayer("bodies", "Bodies", "Mechanism", true, this.solids);
    if (shelf.problems.length > 0) this.state.warnings.value = [...this.state.warnings.value, ...shelf.problems];
  }

  // Half of the links are longer. Of many small links, as in a scissor lift, the symbols must not hide them.
  private typicalLink(): number {
    const lengths = this.scene.bodies.flatMap((body, i) => {
      const places = placesOf(this.scene, i, 0);
      const spans = places.map((p) => p.distanceTo(places[0]));
      for (const { length = 0, radius = 0, size = [] } of body.shapes) spans.push(length, 2 * radius, ...size);
      const corners = body.shapes.flatMap((shape) => this.shelf.cornersOf(shape));
      spans.push(...new Box3().setFromPoints(corners).getSize(new Vector3()));
      return Math.max(0, ...spans) || [];
    });
    return lengths.sort((a, b) => a - b)[lengths.length >> 1] || this.extent.radius;
  }

  private linkOf(body: number, color: string, normal: Vector3 | null): Group {
    const inBody = normal?.clone().transformDirection(matrixOf(this.scene.bodies[body].pose).invert()) ?? null;
    const places = placesOf(this.scene, body, 0.2 * this.size);
    return drawLink(places, { radius: this.size, normal: inBody, layer: (body % 3) - 1 }, solidMaterial(color));
  }

  // A pin must be seen outside the rods that it holds.
  private pinRadius(joint: Joint): number {
    let radius = this.size;
    for (const [body, pose] of [
      [joint.first, joint.pose_first],
      [joint.second, joint.pose_second],
    ] as const) {
      for (const shape of this.scene.bodies[body]?.shapes ?? []) {
        if (shape.radius === undefined || shape.kind === "sphere") continue;
        const inShape = originOf(pose).applyMatrix4(matrixOf(shape.pose).invert());
        const besideAxis = Math.hypot(inShape.x, inShape.y);
        const beyondEnd = Math.abs(inShape.z) - (shape.length ?? 0) / 2;
        if (besideAxis < 0.5 * shape.radius && beyondEnd < shape.radius) radius = Math.max(radius, 1.12 * shape.radius);
      }
    }
    return Math.min(radius, 2.6 * this.size);
  }

  // Along the axis of the joint, on its first body.
  private hasRodAlong(joint: Joint): boolean {
    const at = originOf(joint.pose_first);
    const axis = axisOf(joint.pose_first, 2);
    return (this.scene.bodies[joint.first]?.shapes ?? []).some((shape) => {
      if (shape.length === undefined || shape.radius === undefined) return false;
      const beside = originOf(shape.pose).sub(at);
      beside.addScaledVector(axis, -beside.dot(axis));
      return Math.abs(axisOf(shape.pose, 2).dot(axis)) > 0.999 && beside.length() < shape.radius;
    });
  }

  private buildJoints(up: Vector3): void {
    const symbols: Object3D[] = [];
    const brackets: Object3D[] = [];
    (this.scene.joints ?? []).forEach((joint, index) => {
      const size = this.pinRadius(joint);
      // Of what flies apart only so much.
      const most = 0.6 * this.extent.radius;
      const travel = travelOf(joint, this.someSamples).map((z) => Math.min(Math.max(z, -most), most)) as [
        number,
        number,
      ];
      const style: JointStyle = {
        size,
        depth: 1.9 * size,
        travel,
        guided: this.hasRodAlong(joint),
        metal: this.metal,
        accent: this.accent,
      };
      const { atFirst, atSecond } = drawJoint(joint, style);
      place(atFirst, joint.pose_first);
      place(atSecond, joint.pose_second);
      atFirst.userData.item = atSecond.userData.item = { kind: "joint", index } satisfies Item;
      this.holder(joint.first).add(atFirst);
      this.holder(joint.second).add(atSecond);
      symbols.push(atFirst, atSecond);
      const grounded = joint.first < 0 ? joint.pose_first : joint.second < 0 ? joint.pose_second : null;
      if (grounded && ["revolute", "spherical", "universal"].includes(joint.kind)) {
        const down = up.clone().negate().transformDirection(matrixOf(grounded).invert());
        const facing = this.scene.plane ? axisOf(grounded, 2).dot(vector(this.scene.plane.normal)) : 1;
        const small = { ...style, size: Math.min(size, 1.3 * this.size) };
        const bracket = drawBracket(small, down, Math.sign(facing) || 1);
        place(bracket, grounded);
        this.ground.add(bracket);
        brackets.push(bracket);
      }
    });
    if (symbols.length > 0) this.inLayer("joints", "Joints", "Mechanism", true, symbols);
    if (brackets.length > 0) this.inLayer("brackets", "Ground brackets", "Mechanism", true, brackets);
  }

  private add(connection: Connection): Object3D {
    if (connection.body !== undefined) this.holder(connection.body).add(connection.object);
    else this.stage.root.add(connection.object);
    if (connection.update) this.updates.push(connection.update);
    return connection.object;
  }

  private buildConnections(): void {
    const { scene } = this;
    const style = { size: this.size, metal: this.metal, accent: this.accent, line: this.line };
    const springs = (scene.springs ?? []).map((spring, index) => {
      const object = this.add(drawSpring(spring, style));
      object.userData.item = { kind: "spring", index } satisfies Item;
      return object;
    });
    if (springs.length > 0) this.inLayer("springs", "Springs and dampers", "Mechanism", true, springs);
    const constraints = (scene.constraints ?? []).flatMap((constraint, index) =>
      drawConstraint(constraint, style).map((part) => {
        const object = this.add(part);
        object.userData.item = { kind: "constraint", index } satisfies Item;
        return object;
      }),
    );
    if (constraints.length > 0) this.inLayer("constraints", "Constraints", "Mechanism", true, constraints);
    const couplings = (scene.couplings ?? []).flatMap((c) =>
      drawCoupling(c, scene, style).map((part) => this.add(part)),
    );
    if (couplings.length > 0) this.inLayer("couplings", "Gears and belts", "Mechanism", true, couplings);
  }

  private buildMarkers(): void {
    const { scene, size } = this;
    const points = (scene.points ?? []).map((point, index) => {
      const mark = drawPoint(0.75 * size, "#cc3311");
      mark.position.copy(vector(point.p));
      mark.userData.item = { kind: "point", index } satisfies Item;
      this.holder(point.body).add(mark);
      return mark;
    });
    if (points.length > 0) this.inLayer("points", "Points", "Mechanism", true, points);
    const centres = (kind: "mass" | "buoyancy") =>
      scene.bodies.flatMap((body, i) => {
        const at = kind === "mass" ? body.com : body.buoyancy;
        if (!at) return [];
        const mark = drawCentre(kind, 0.9 * size);
        mark.position.copy(vector(at));
        this.bodies[i].add(mark);
        return [mark];
      });
    const masses = centres("mass");
    if (masses.length > 0) this.inLayer("mass", "Centres of mass", "Mechanism", false, masses);
    const floats = centres("buoyancy");
    if (floats.length > 0) this.inLayer("centres-of-buoyancy", "Centres of buoyancy", "Mechanism", false, floats);
    const frames = [-1, ...scene.bodies.keys()].map((body) => {
      const frame = drawFrame(7 * size);
      this.holder(body).add(frame);
      return frame;
    });
    for (const given of scene.frames ?? []) {
      const frame = drawFrame(6 * size);
      place(frame, given.pose);
      this.holder(given.body).add(frame);
      frames.push(frame);
    }
    this.inLayer("frames", "Frames", "Mechanism", false, frames);
    const contacts = (scene.contacts ?? []).map((contact) => {
      const mark = drawContact(contact, 0.7 * size);
      this.holder(contact.body).add(mark);
      return mark;
    });
    if (contacts.length > 0) this.inLayer("contacts", "What may touch", "Mechanism", false, contacts);
  }

  // Behind a planar mechanism like a board, else below all of it.
  private buildFloor(up: Vector3, normal: Vector3 | null): Floor {
    const { extent } = this;
    const reach = 3.2 * Math.max(extent.allRadius, extent.radius);
    const planarAndUpright = normal !== null && Math.abs(normal.dot(up)) < 0.7;
    const facing = planarAndUpright ? normal : up;
    const right = new Vector3().crossVectors(
      planarAndUpright ? up : Math.abs(up.x) < 0.9 ? new Vector3(0, 1, 0) : new Vector3(0, 0, 1),
      facing,
    );
    right.addScaledVector(facing, -right.dot(facing)).normalize();
    let lowest = Infinity;
    for (const poses of this.someSamples)
      this.scene.bodies.forEach((_, i) => {
        for (const p of this.spanOf(i)) {
          const height = pointInWorld(poses, i, p).dot(facing);
          if (height < lowest) lowest = height;
        }
      });
    if (!Number.isFinite(lowest)) lowest = extent.centre.dot(facing) - extent.radius;
    const gap = planarAndUpright ? 4.6 * this.size : 1.2 * this.size;
    const origin = extent.allCentre.clone().addScaledVector(facing, lowest - gap - extent.allCentre.dot(facing));
    const floor = new Floor(origin, facing, right, this.gridSpacing, reach);
    this.stage.root.add(floor.group);
    this.inLayer("grid", "Grid", "Surroundings", !this.scene.terrain, [floor.group]);
    return floor;
  }
  private spanOf(body: number): Vector3[] {
    const out: Vector3[] = [];
    for (const shape of this.scene.bodies[body].shapes) {
      if (shape.kind === "mesh") {
        out.push(...this.shelf.cornersOf(shape));
        continue;
      }
      const half = (shape.length ?? 0) / 2;
      const r = shape.radius ?? Math.max(...(shape.size ?? [0])) / 2;
      for (const z of [-half, half]) {
        const end = new Vector3(0, 0, z).applyMatrix4(matrixOf(shape.pose));
        for (const d of [-r, r])
          for (const axis of [0, 1, 2]) out.push(end.clone().setComponent(axis, end.getComponent(axis) + d));
      }
    }
    return out.length > 0 ? out : placesOf(this.scene, body, 0);
  }

  private buildSurroundings(up: Vector3): void {
    const { terrain, water } = this.scene;
    const { extent } = this;
    const reach = Math.max(3 * extent.allRadius, 5 * extent.radius);
    if (terrain) {
      const ground = drawTerrain(terrain, this.state.loaded, extent.allCentre, reach, this.gridSpacing);
      this.stage.root.add(ground);
      this.inLayer("terrain", "Terrain", "Surroundings", true, [ground], "#b3a68c");
      this.state.dark.watch((dark) =>
        ground.traverse((part) => {
          const material = (part as { material?: MeshStandardMaterial }).material;
          material?.color.set(themeOf(dark).terrain);
        }),
      );
    }
    if (water && water.surface !== undefined) {
      const surface = new WaterSurface(water, up, extent.allCentre, reach);
      this.stage.root.add(surface.mesh);
      this.inLayer("water", water.name ?? "Water", "Surroundings", true, [surface.mesh], "#4f9fcf");
      this.state.dark.watch((dark) => surface.material.color.set(themeOf(dark).water));
      this.updates.push((_, x) => {
        if (surface.mesh.visible) surface.update(this.state.isTime ? x : 0);
      });
    }
  }

  private buildLabels(): void {
    const { scene, state } = this;
    const names = state.addLayer("names", "Names", "Mechanism", false);
    names.on.onChange(() => this.stage.draw());
    const add = (item: Item, kind: string, at: () => Vector3) =>
      this.labels.add({
        text: state.nameOf(item),
        kind,
        at: () => at(),
        shown: () => {
          const same = (other: Item | null) => other?.kind === item.kind && other.index === item.index;
          return names.on.value || same(state.hover.value) || same(state.selection.value);
        },
      });
    scene.bodies.forEach((_, index) => {
      const middle = this.middleOf(index);
      add({ kind: "body", index }, "body", () => pointInWorld(this.poses, index, middle));
    });
    (scene.joints ?? []).forEach((joint, index) => {
      const at = originOf(joint.pose_first);
      if (joint.kind !== "free")
        add({ kind: "joint", index }, "joint", () => pointInWorld(this.poses, joint.first, at));
    });
    (scene.points ?? []).forEach((point, index) => {
      add({ kind: "point", index }, "point", () => pointInWorld(this.poses, point.body, vector(point.p)));
    });
    for (const signal of [state.hover, state.selection]) signal.onChange(() => this.stage.draw());
  }
  middleOf(body: number): Vector3 {
    const list = this.spanOf(body);
    return list.reduce((sum, p) => sum.add(p), new Vector3()).divideScalar(Math.max(list.length, 1));
  }

  // --- moving -------------------------------------------------------------------------------------------------------

  private connect(): void {
    const { state, stage } = this;
    const shadows = state.addLayer("shadows", "Shadows", "Surroundings", true);
    shadows.on.watch((on) => stage.enableShadows(on));
    state.dark.watch((dark) => {
      stage.setTheme(dark);
      this.metal.color.set(stage.theme.metal);
      this.accent.color.set(dark ? "#cfd8e2" : "#2d3640");
      this.line.color.set(stage.theme.ink);
      this.floor.setTheme(stage.theme, dark);
    });
    const far = this.extent.allRadius > 2.5 * this.extent.radius;
    state.follow.value = far;
    stage.fit(!far, false);
    this.update();
    state.cursor.onChange(() => this.update());
    state.grown.onChange(() => this.update());
    state.selection.onChange((item) => this.highlight(item));
  }

  update(): void {
    const x = this.state.cursor.value;
    const next: Poses = new Float64Array(this.poses.length);
    this.state.samples.poses.read(x, next);
    const there = (i: number) => Number.isFinite(next[7 * i] + next[7 * i + 3]);
    const none = this.bodies.length > 0 && !this.bodies.some((_, i) => there(i));
    this.noPosition.value = none;
    if (!none) this.poses.set(next);
    this.bodies.forEach((group, i) => {
      group.visible = none || there(i);
      if (group.visible && !none) place(group, this.poses, 7 * i);
    });
    for (const action of this.updates) action(this.poses, x);
    this.overlays.update(this.poses, x);
    this.followCentre();
    if (this.growing?.goesFar(this.poses)) {
      this.state.follow.value = true;
      this.fit(false);
    }
    this.stage.draw();
  }

  // The eye, where it follows, and the light go along with the middle of the bodies.
  private followCentre(): void {
    const centre = new Vector3();
    let count = 0;
    this.bodies.forEach((group, i) => {
      if (!group.visible) return;
      centre.add(this.stage.toStage(pointInWorld(this.poses, i, this.middles[i])));
      ++count;
    });
    if (count === 0) return;
    centre.divideScalar(count);
    if (this.state.follow.value && this.seenCentre) this.stage.rig.shift(centre.clone().sub(this.lastCentre));
    if (this.extent.allRadius > 1.5 * this.extent.radius) this.stage.placeLights(centre);
    this.lastCentre.copy(centre);
    this.seenCentre = true;
  }
  private seenCentre = false;
  private get middles(): Vector3[] {
    return (this.foundMiddles ??= this.scene.bodies.map((_, i) => this.middleOf(i)));
  }
  private foundMiddles: Vector3[] | undefined;

  // Fits the bodies as they stand now, or all of their motion.
  fit(all: boolean): void {
    if (all || !this.seenCentre) return this.stage.fit(all);
    const middle = this.stage.toStage(this.extent.centre.clone());
    const corners = cornersOf(this.extent.box).map((p) => this.stage.toStage(p).sub(middle).add(this.lastCentre));
    this.stage.rig.fit(this.lastCentre.clone(), corners, true);
  }

  private highlight(item: Item | null): void {
    this.solids.forEach((solid, i) => {
      const chosen = item?.kind === "body" && item.index === i;
      solid.traverse((part) => {
        const material = (part as { material?: MeshStandardMaterial }).material;
        material?.emissive?.set(chosen ? material.color : 0x000000);
        if (material?.emissive) material.emissiveIntensity = chosen ? 0.35 : 0;
      });
    });
    this.stage.draw();
  }
}
