// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// A live scene: frames go into the samples, the cursor stays at the newest while nobody moves it back, wishes of the reader go to trammel.

import { Vector3 } from "three";
import { PullLine } from "../draw/pull_line";
import { pointInWorld, toVec3 } from "../draw/connections";
import { GrowingSamples } from "../scene/samples";
import type { Ability } from "../scene/types";
import type { State } from "../state";
import type { World } from "../draw/world";
import type { Pull } from "../ui/pointing";
import { stepBy, type PlayActions } from "../ui/timeline";
import type { Connection, Frame, Message } from "./socket";

export class Session {
  private running: boolean;
  private waiting = false;
  private closed = false;

  constructor(
    private readonly state: State,
    private readonly connection: Connection,
  ) {
    this.running = state.scene.live?.running ?? false;
    state.playing.value = this.running;
    state.playing.onChange((playing) => {
      if (playing === this.running || !this.can("pause")) return;
      this.running = playing;
      connection.send({ type: playing ? "resume" : "pause" });
      if (playing) state.atEdge.value = true;
    });
  }

  can(what: Ability): boolean {
    return !this.closed && (this.state.scene.live?.can.includes(what) ?? false);
  }

  frame(frame: Frame): void {
    const samples = this.state.samples as GrowingSamples;
    if (frame.poses.length !== 7 * this.state.scene.bodies.length) return; // of a scene that is gone
    samples.append(frame.t, frame.poses, frame.values);
    this.state.realTimeFactor.value = frame.realTimeFactor;
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      if (this.state.atEdge.value) this.state.cursor.value = this.state.range()[1];
      this.state.grown.value = samples.version;
    });
  }

  message(message: Message): void {
    const { state } = this;
    if (message.type === "state") {
      this.running = message.running;
      state.playing.value = message.running;
    } else if (message.type === "reason") state.reason.value = message.text;
    else if (message.type === "event") state.events.value = [...state.events.value, message];
    else if (message.type === "warning") state.warnings.value = [...state.warnings.value, message.text];
    else if (message.type === "bye") this.end(message.text);
  }

  end(text: string): void {
    if (this.closed) return;
    this.closed = true;
    this.running = false;
    this.state.playing.value = false;
    this.state.ended.value = true;
    this.state.reason.value = text;
  }

  readonly play: PlayActions = {
    toggle: () => {
      if (this.can("pause")) this.state.playing.value = !this.state.playing.value;
    },
    step: (by) => {
      if (by > 0 && this.state.atEdge.value && this.can("step")) this.connection.send({ type: "step" });
      else stepBy(this.state, by);
    },
    faster: () => undefined,
    restart: () => {
      if (!this.can("restart")) return; // what was received stays
      this.state.events.value = [];
      this.state.atEdge.value = true;
      this.connection.send({ type: "restart" });
    },
    setSpeed: (factor) => this.connection.send({ type: "speed", factor }),
  };

  set(control: number, value: number): void {
    this.state.atEdge.value = true;
    this.connection.send({ type: "set", control, value });
  }

  // Pulling at bodies: a spring in a simulation, a drag of a linkage.
  pull(world: World): Pull | null {
    const kind = this.can("drag") ? "drag" : this.can("nudge") ? "nudge" : null;
    if (!kind) return null;
    const line = new PullLine(world);
    let taken: { body: number; point: Vector3 } | null = null;
    const send = (target: Vector3) =>
      this.connection.send({ type: kind, body: taken!.body, point: toVec3(taken!.point), target: toVec3(target) });
    return {
      start: (body, point, target) => {
        this.state.atEdge.value = this.state.pulling.value = true;
        taken = { body, point };
        line.show(body, point, target);
        send(target);
      },
      move: (target) => {
        if (!taken) return;
        line.move(target);
        send(target);
      },
      end: () => {
        taken = null;
        this.state.pulling.value = false;
        line.hide();
        this.connection.send({ type: "release" });
      },
    };
  }
}

// Pulls by keys: the chosen body or point goes by a step of the picture, right or up.
export function pullByKey(state: State, world: World, pull: Pull | null, right: number, up: number): void {
  const item = state.selection.value;
  if (!pull || !item) return;
  const point = item.kind === "point" ? state.scene.points![item.index] : null;
  const body = item.kind === "body" ? item.index : (point?.body ?? -1);
  if (body < 0) return;
  const inBody = point ? new Vector3(...point.p) : world.middleOf(body);
  const target = pointInWorld(world.poses, body, inBody);
  const camera = world.stage.rig.camera;
  const step = 0.05 * world.extent.radius;
  target.addScaledVector(new Vector3().setFromMatrixColumn(camera.matrixWorld, 0), right * step);
  target.addScaledVector(new Vector3().setFromMatrixColumn(camera.matrixWorld, 1), up * step);
  pull.start(body, inBody, target);
  setTimeout(() => pull.end(), 300);
}
