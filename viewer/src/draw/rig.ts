// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The eye: a target, a distance and a direction. In perspective it goes round the target, upright; in the plan views it looks along an
// axis of W, without perspective. Pointer, wheel, fingers and keys move it.

import { OrthographicCamera, PerspectiveCamera, Vector2, Vector3 } from "three";
import type { ViewName } from "../state";

const fieldOfView = 32; // degrees; little distortion, as drawings have
const tangent = Math.tan((fieldOfView * Math.PI) / 360);

// Seen from `from`, `up` upwards: as trammel draw lays out its plan views.
const planViews: Record<"xy" | "xz" | "yz", { from: Vector3; up: Vector3 }> = {
  xy: { from: new Vector3(0, 0, 1), up: new Vector3(0, 1, 0) },
  xz: { from: new Vector3(0, -1, 0), up: new Vector3(0, 0, 1) },
  yz: { from: new Vector3(1, 0, 0), up: new Vector3(0, 0, 1) },
};

interface Stand {
  target: Vector3;
  distance: number;
  yaw: number;
  pitch: number;
}

export class Rig {
  readonly perspective = new PerspectiveCamera(fieldOfView, 1, 0.01, 1000);
  readonly flat = new OrthographicCamera(-1, 1, 1, -1, -500, 500);
  readonly target = new Vector3();
  view: ViewName = "perspective";
  isTaken = false; // zoomed or shifted since it was fitted
  // Asked first when a pointer goes down: where it gives true, the rig leaves that pointer alone.
  grab: (event: PointerEvent) => boolean = () => false;

  private distance = 6;
  private yaw = 0;
  private pitch = 0;
  private readonly across: Vector3;
  private readonly ahead: Vector3;
  private readonly pointers = new Map<number, Vector2>();
  private flight: { from: Stand; to: Stand; start: number } | null = null;
  private readonly offset = new Vector3();

  constructor(
    private readonly element: HTMLElement,
    private readonly up: Vector3,
    private readonly changed: () => void,
  ) {
    const other = Math.abs(up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    this.across = other.clone().addScaledVector(up, -other.dot(up)).normalize();
    this.ahead = new Vector3().crossVectors(up, this.across);
    this.listen();
  }

  get camera(): PerspectiveCamera | OrthographicCamera {
    return this.view === "perspective" ? this.perspective : this.flat;
  }

  // Looks from this direction (out of the target).
  lookFrom(direction: Vector3): void {
    const d = direction.clone().normalize();
    this.pitch = Math.asin(Math.min(Math.max(d.dot(this.up), -1), 1));
    this.yaw = Math.atan2(d.dot(this.ahead), d.dot(this.across));
    this.flight = null;
    this.changed();
  }

  // Goes to where all of these points are seen, the target in the middle; not at once where the reader allows motion.
  fit(target: Vector3, points: Vector3[], fly: boolean): void {
    this.isTaken = false;
    const to = { ...this.stand(), target: target.clone(), distance: this.distanceFor(target, points) };
    const still = !fly || matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.flight = { from: this.stand(), to, start: performance.now() - (still ? 1e6 : 0) };
    if (still) this.fly();
    this.changed();
  }

  setView(view: ViewName): void {
    this.view = view;
    this.changed();
  }

  shift(by: Vector3): void {
    this.target.add(by);
    if (this.flight) this.flight.to.target.add(by);
  }

  // Keys: by angles, by shares of the picture, by a factor.
  orbit(yaw: number, pitch: number): void {
    if (this.view !== "perspective") return this.pan(-yaw, -pitch);
    this.yaw += yaw;
    this.pitch = Math.min(Math.max(this.pitch + pitch, -1.55), 1.55);
    this.changed();
  }
  pan(right: number, upward: number): void {
    this.isTaken = true;
    const height = 2 * this.distance * tangent;
    this.camera.updateMatrixWorld();
    const e = this.camera.matrixWorld.elements;
    this.target.addScaledVector(new Vector3(e[0], e[1], e[2]), right * height);
    this.target.addScaledVector(new Vector3(e[4], e[5], e[6]), upward * height);
    this.changed();
  }
  zoom(factor: number, at?: Vector2): void {
    this.isTaken = true;
    const before = this.distance;
    this.distance = Math.min(Math.max(before * factor, 1e-3), 1e4);
    if (at) {
      // What is under the pointer stays there.
      const height = 2 * (before - this.distance) * tangent;
      const aspect = this.element.clientWidth / Math.max(this.element.clientHeight, 1);
      this.pan(
        (at.x * aspect * height) / 2 / (2 * this.distance * tangent),
        (at.y * height) / 2 / (2 * this.distance * tangent),
      );
    }
    this.changed();
  }

  // Places the cameras; tells whether it is still on its way.
  update(): boolean {
    const flying = this.fly();
    const { clientWidth, clientHeight } = this.element;
    const aspect = clientWidth / Math.max(clientHeight, 1);
    if (this.view === "perspective") {
      const level = Math.cos(this.pitch);
      this.offset
        .copy(this.across)
        .multiplyScalar(level * Math.cos(this.yaw))
        .addScaledVector(this.ahead, level * Math.sin(this.yaw))
        .addScaledVector(this.up, Math.sin(this.pitch));
      const camera = this.perspective;
      camera.up.copy(this.up);
      camera.position.copy(this.target).addScaledVector(this.offset, this.distance);
      camera.lookAt(this.target);
      camera.aspect = aspect;
      camera.near = this.distance / 200;
      camera.far = this.distance * 20 + 100;
      camera.updateProjectionMatrix();
      return flying;
    }
    const plan = planViews[this.view];
    const half = this.distance * tangent;
    const camera = this.flat;
    camera.up.copy(plan.up);
    camera.position.copy(this.target).addScaledVector(plan.from, 100);
    camera.lookAt(this.target);
    camera.left = -half * aspect;
    camera.right = half * aspect;
    camera.top = half;
    camera.bottom = -half;
    camera.updateProjectionMatrix();
    return flying;
  }

  // With r, u, w of a point to the right, upwards and towards the eye, from the target: it is within the picture where
  //   |u| ≤ (D − w) tan,  |r| ≤ (D − w) tan · aspect      in plan views without the w
  private distanceFor(target: Vector3, points: Vector3[]): number {
    this.update();
    this.camera.updateMatrixWorld();
    const aspect = this.element.clientWidth / Math.max(this.element.clientHeight, 1);
    const axes = [0, 1, 2].map((i) => new Vector3().setFromMatrixColumn(this.camera.matrixWorld, i));
    let distance = 1e-3;
    for (const p of points) {
      const d = p.clone().sub(target);
      const [r, u, w] = axes.map((axis) => d.dot(axis));
      const need = Math.max(Math.abs(u), Math.abs(r) / aspect) / tangent;
      distance = Math.max(distance, 1.16 * need + (this.view === "perspective" ? w : 0));
    }
    return distance;
  }
  private stand(): Stand {
    return { target: this.target.clone(), distance: this.distance, yaw: this.yaw, pitch: this.pitch };
  }
  private fly(): boolean {
    if (!this.flight) return false;
    const { from, to, start } = this.flight;
    const t = Math.min((performance.now() - start) / 300, 1);
    const share = t * t * (3 - 2 * t);
    this.target.lerpVectors(from.target, to.target, share);
    this.distance = from.distance * (to.distance / from.distance) ** share;
    if (t === 1) this.flight = null;
    return this.flight !== null;
  }

  private listen(): void {
    const { element } = this;
    element.addEventListener("pointerdown", (event) => {
      this.flight = null;
      if (this.pointers.size === 0 && this.grab(event)) return;
      element.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, new Vector2(event.clientX, event.clientY));
    });
    element.addEventListener("pointermove", (event) => this.moved(event));
    const drop = (event: PointerEvent) => this.pointers.delete(event.pointerId);
    element.addEventListener("pointerup", drop);
    element.addEventListener("pointercancel", drop);
    element.addEventListener("contextmenu", (event) => event.preventDefault());
    element.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const lines = event.deltaMode === 1 ? 16 : 1;
        this.zoom(1.0015 ** (event.deltaY * lines), this.place(event));
      },
      { passive: false },
    );
  }

  private moved(event: PointerEvent): void {
    const last = this.pointers.get(event.pointerId);
    if (!last) return;
    const now = new Vector2(event.clientX, event.clientY);
    const by = now.clone().sub(last);
    const height = Math.max(this.element.clientHeight, 1);
    if (this.pointers.size >= 2) {
      const other = [...this.pointers.entries()].find(([id]) => id !== event.pointerId)![1];
      this.zoom(last.distanceTo(other) / Math.max(now.distanceTo(other), 1));
      this.pan(-by.x / height / 2, by.y / height / 2);
    } else if (event.buttons & 6 || event.shiftKey || this.view !== "perspective") {
      this.pan(-by.x / height, by.y / height);
    } else {
      this.orbit((-by.x / height) * 4, (by.y / height) * 4);
    }
    last.copy(now);
  }

  // Of a pointer, −1 … 1 each way, y upwards.
  place(event: { clientX: number; clientY: number }): Vector2 {
    const box = this.element.getBoundingClientRect();
    return new Vector2(
      ((event.clientX - box.left) / box.width) * 2 - 1,
      1 - ((event.clientY - box.top) / box.height) * 2,
    );
  }
}
