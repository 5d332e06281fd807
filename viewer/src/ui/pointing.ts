// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What the pointer is at: names on hover, a card for what is chosen, and, in a live scene, pulling at bodies.

import { Object3D, Plane, Raycaster, Vector3, type Intersection } from "three";
import { formatWithUnit } from "../format";
import type { World } from "../draw/world";
import { matrixOf } from "../draw/geometry";
import type { Item, State } from "../state";
import { h, icon } from "./dom";

export interface Pull {
  start: (body: number, point: Vector3, target: Vector3) => void; // point in B, target in W
  move: (target: Vector3) => void;
  end: () => void;
}

export class Pointing {
  private readonly caster = new Raycaster();
  private pulled: { pointer: number; plane: Plane } | null = null;
  private downAt: [number, number] | null = null;

  constructor(
    private readonly state: State,
    private readonly world: World,
    private readonly pull: Pull | null,
  ) {
    const canvas = world.stage.renderer.domElement;
    world.stage.rig.grab = (event) => this.tryPull(event);
    let waiting: PointerEvent | null = null;
    canvas.addEventListener("pointermove", (event) => {
      if (this.pulled) return this.movePull(event);
      if (event.buttons !== 0 || event.pointerType === "touch") return;
      const asked = waiting !== null;
      waiting = event;
      if (asked) return;
      requestAnimationFrame(() => {
        this.hover(waiting!);
        waiting = null;
      });
    });
    canvas.addEventListener("pointerleave", () => (state.hover.value = null));
    canvas.addEventListener("pointerdown", (event) => (this.downAt = [event.clientX, event.clientY]));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", () => this.endPull());
  }

  private hits(event: { clientX: number; clientY: number }): Intersection[] {
    const { stage } = this.world;
    this.caster.setFromCamera(stage.rig.place(event), stage.rig.camera);
    const seen = (object: Object3D | null): boolean => object === null || (object.visible && seen(object.parent));
    return this.caster
      .intersectObjects(stage.root.children, true)
      .filter((hit) => seen(hit.object) && itemOf(hit.object));
  }
  itemAt(event: { clientX: number; clientY: number }): Item | null {
    const hit = this.hits(event)[0];
    return hit ? itemOf(hit.object) : null;
  }

  private hover(event: PointerEvent): void {
    const item = this.itemAt(event);
    const { value } = this.state.hover;
    if (item?.kind !== value?.kind || item?.index !== value?.index) this.state.hover.value = item;
    this.world.stage.renderer.domElement.style.cursor = item
      ? this.pull && item.kind === "body"
        ? "grab"
        : "pointer"
      : "";
  }
  private up(event: PointerEvent): void {
    this.endPull();
    const moved = this.downAt && Math.hypot(event.clientX - this.downAt[0], event.clientY - this.downAt[1]) > 4;
    this.downAt = null;
    if (!moved) this.state.selection.value = this.itemAt(event);
  }

  // --- pulling ------------------------------------------------------------------------------------------------------

  private tryPull(event: PointerEvent): boolean {
    if (!this.pull || event.button !== 0 || event.shiftKey) return false;
    const hit = this.hits(event)[0];
    const item = hit && bodyOf(hit.object, this.state);
    if (!hit || item === null || item === undefined) return false;
    const { stage } = this.world;
    // In the plane of the mechanism, where it has one, else square to the view, through the point that was taken.
    const normal = stage.normal ?? stage.rig.camera.getWorldDirection(new Vector3());
    this.pulled = { pointer: event.pointerId, plane: new Plane().setFromNormalAndCoplanarPoint(normal, hit.point) };
    stage.renderer.domElement.setPointerCapture(event.pointerId);
    const target = stage.toWorld(hit.point.clone());
    const inBody = target.clone().applyMatrix4(matrixOf(this.world.poses, 7 * item).invert());
    this.pull.start(item, inBody, target);
    return true;
  }
  private movePull(event: PointerEvent): void {
    const { stage } = this.world;
    this.caster.setFromCamera(stage.rig.place(event), stage.rig.camera);
    const at = this.caster.ray.intersectPlane(this.pulled!.plane, new Vector3());
    if (at) this.pull!.move(stage.toWorld(at));
  }
  private endPull(): void {
    if (!this.pulled) return;
    this.pulled = null;
    this.pull!.end();
  }
}

function itemOf(object: Object3D | null): Item | null {
  for (let at = object; at; at = at.parent) if (at.userData.item) return at.userData.item as Item;
  return null;
}
// The body to pull at: a body itself, or the one that carries a point or a joint.
function bodyOf(object: Object3D, state: State): number | null {
  const item = itemOf(object);
  if (!item) return null;
  if (item.kind === "body") return item.index;
  if (item.kind === "point") return state.scene.points![item.index].body;
  if (item.kind === "joint") {
    const joint = state.scene.joints![item.index];
    return joint.second >= 0 ? joint.second : joint.first;
  }
  return null;
}

// --- the card of what is chosen -----------------------------------------------------------------------------------------

export function makeCard(state: State): HTMLElement {
  const card = h("aside", { class: "card", "aria-live": "polite", hidden: true });
  state.selection.onChange((item) => {
    card.hidden = item === null;
    if (!item) return;
    const close = h(
      "button",
      { class: "icon small", type: "button", "aria-label": "Close", onclick: () => (state.selection.value = null) },
      icon("close"),
    );
    const rows = describe(state, item).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]);
    card.replaceChildren(h("header", {}, h("h2", {}, state.nameOf(item)), close), h("dl", {}, ...rows));
  });
  return card;
}

function describe(state: State, item: Item): [string, string][] {
  const { scene } = state;
  const text = (value: string | undefined): [string, string][] => (value ? [["", value]] : []);
  if (item.kind === "body") {
    const body = scene.bodies[item.index];
    const joints = (scene.joints ?? []).filter((j) => j.first === item.index || j.second === item.index);
    return [
      ["is", "a body"],
      ...(body.mass === undefined ? [] : ([["mass", formatWithUnit(body.mass, "kg")]] as [string, string][])),
      ["joints", joints.map((j) => `${j.name} (${j.kind})`).join(", ") || "none"],
      ...text(body.text),
    ];
  }
  if (item.kind === "joint") {
    const joint = scene.joints![item.index];
    const role = joint.role === "closure" ? ", closes a loop" : "";
    return [
      ["is", `a ${joint.kind} joint${role}`],
      ["joins", `${state.bodyName(joint.first)} and ${state.bodyName(joint.second)}`],
      ...text(joint.text),
    ];
  }
  if (item.kind === "point")
    return [
      ["is", "a point of interest"],
      ["on", state.bodyName(scene.points![item.index].body)],
    ];
  const list = item.kind === "spring" ? scene.springs! : scene.constraints!;
  const it = list[item.index];
  return [
    ["is", `a ${it.kind.replaceAll("_", " ")}`],
    ["joins", `${state.bodyName(it.first)} and ${state.bodyName(it.second)}`],
  ];
}
