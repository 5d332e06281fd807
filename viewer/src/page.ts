// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The page of one scene: puts the parts together.

import { Vector3 } from "three";
import { pointInWorld } from "./draw/connections";
import { World } from "./draw/world";
import { pullByKey, Session } from "./live/session";
import type { Connection } from "./live/socket";
import { Panels } from "./plots/panels";
import type { Loaded } from "./scene/bundle";
import type { Ghost, Scene } from "./scene/types";
import { State, type ViewName } from "./state";
import { ChannelList } from "./ui/channels";
import { h, icon, setPressed, tool } from "./ui/dom";
import { jumpToEvent, makeEvents } from "./ui/events";
import { makeExports, savePng } from "./ui/exports";
import { makeHeader } from "./ui/header";
import { listenToKeys, makeHelp, type Key } from "./ui/keyboard";
import { makeLayers } from "./ui/layers";
import { makeLegend } from "./ui/legend";
import { makeCard, Pointing, type Pull } from "./ui/pointing";
import { makeControls, makeInputs } from "./ui/sliders";
import { makePlayer, makeTimeline, type PlayActions } from "./ui/timeline";

const views: { name: ViewName; label: string; key: string; text: string }[] = [
  { name: "perspective", label: "Perspective", key: "1", text: "3-D" },
  { name: "xy", label: "Plan view xy, seen from +z", key: "2", text: "xy" },
  { name: "xz", label: "Plan view xz, seen from −y", key: "3", text: "xz" },
  { name: "yz", label: "Plan view yz, seen from +x", key: "4", text: "yz" },
];

export class Page {
  readonly state: State;
  readonly world: World;
  readonly panels: Panels;
  readonly session: Session | null;
  private readonly host = h("main", { class: "view", id: "stage", "aria-label": "The mechanism" });
  private readonly play: PlayActions;
  private readonly channels: ChannelList;
  private readonly layers: { element: HTMLElement; rebuild: () => void };
  private readonly help: HTMLDialogElement;
  private readonly pull: Pull | null;
  private readonly gone = new AbortController();

  constructor(
    private readonly app: HTMLElement,
    loaded: Loaded,
    connection: Connection | null,
  ) {
    const state = (this.state = new State(loaded));
    state.dark.value = matchMedia("(prefers-color-scheme: dark)").matches;
    state.dark.watch((dark) => (document.documentElement.dataset.theme = dark ? "dark" : "light"));
    document.title = `${state.scene.name} – trammel`;
    this.session = connection && new Session(state, connection);
    app.replaceChildren(this.host);
    this.world = new World(state, this.host);
    state.view.watch((view) => this.world.stage.rig.setView(view));
    this.play = this.session?.play ?? makePlayer(state);
    this.panels = new Panels(state, () => this.world.overlays.ghostSamples);
    this.channels = new ChannelList(state, this.panels);
    this.layers = makeLayers(state);
    this.pull = this.session?.pull(this.world) ?? null;
    new Pointing(state, this.world, this.pull);
    const keys = this.keys();
    this.help = makeHelp(keys);
    this.build();
    listenToKeys(keys, this.world.stage.renderer.domElement, this.gone.signal);
    this.describeView();
    this.panels.rebuild(); // now that there is room
  }

  // Before another page takes its place.
  close(): void {
    this.gone.abort();
    this.world.stage.renderer.dispose();
  }

  // --- layout -------------------------------------------------------------------------------------------------------

  private build(): void {
    const { state, app, world } = this;
    const left = h("aside", { class: "side left", id: "left", "aria-label": "What is shown" }, ...this.leftSections());
    const right = h(
      "aside",
      { class: "side right", id: "right", "aria-label": "Plots and events" },
      ...this.rightSections(),
    );
    const header = makeHeader(state, this.tools());
    this.host.append(makeLegend(state, world), this.viewBar(), makeCard(state), this.banner());
    const parts: HTMLElement[] = [header, left, this.host];
    const hasSeries = state.hasAxis || state.samples.channels.length > 0;
    if (hasSeries) parts.push(right);
    if (state.hasAxis) parts.push(makeTimeline(state, this.play));
    parts.push(this.sheetBar(hasSeries), this.help);
    app.classList.toggle("no-series", !hasSeries);
    app.replaceChildren(...parts);
    if (this.session) this.addLiveTools();
  }

  private leftSections(): HTMLElement[] {
    const { state, session } = this;
    const sliders = session ? makeControls(state, (i, value) => session.set(i, value)) : makeInputs(state);
    const out: HTMLElement[] = [];
    if (sliders) out.push(section(session ? "Controls" : "Inputs", sliders));
    out.push(section("Layers", this.layers.element));
    const foot = [state.scene.file, state.scene.generator].filter(Boolean).join(" · ");
    out.push(h("p", { class: "foot" }, foot || "trammel"));
    return out;
  }

  private rightSections(): HTMLElement[] {
    const { state } = this;
    const degrees = h("button", {
      class: "text",
      type: "button",
      onclick: () => (state.degrees.value = !state.degrees.value),
    });
    state.degrees.watch((on) => (degrees.textContent = on ? "angles in °" : "angles in rad"));
    this.panels.element.querySelector(".bar")?.append(degrees);
    const plots = h("section", { class: "plots" }, h("h2", {}, "Plots"), this.panels.element);
    if (state.scene.note) plots.append(h("p", { class: "hint" }, state.scene.note));
    return [plots, section("Channels", this.channels.element), section("Events", makeEvents(state))];
  }

  private tools(): HTMLElement {
    const { state } = this;
    const theme = tool("moon", "Dark or light", "T", () => (state.dark.value = !state.dark.value));
    state.dark.watch((dark) => theme.replaceChildren(icon(dark ? "sun" : "moon")));
    const help = tool("help", "Keys and pointer", "?", () => this.help.showModal());
    return h("div", { class: "tools" }, makeExports(state, this.world, this.panels), theme, help);
  }

  private viewBar(): HTMLElement {
    const { state } = this;
    const buttons = views.map(({ name, label, key, text }) => {
      const title = `${label} (${key})`;
      const button = h(
        "button",
        { type: "button", title, "aria-label": label, onclick: () => (state.view.value = name) },
        text,
      );
      state.view.watch((view) => setPressed(button, view === name));
      return button;
    });
    const fit = tool("fit", "Fit in the view", "F", () => this.world.fit(!state.follow.value));
    const follow = tool("follow", "Follow the mechanism", "C", () => (state.follow.value = !state.follow.value));
    state.follow.watch((on) => setPressed(follow, on));
    return h(
      "div",
      { class: "viewbar", role: "toolbar", "aria-label": "View" },
      h("div", { class: "segments" }, ...buttons),
      fit,
      follow,
    );
  }

  // Over the picture: why a live linkage does not go further, or that there is no position here.
  private banner(): HTMLElement {
    const { state, world } = this;
    const text = h("p", { class: "banner", role: "status", id: "reason", hidden: true });
    const update = () => {
      const none = world.noPosition.value ? "No position here: the loops cannot close." : "";
      text.textContent = state.reason.value || none;
      text.hidden = text.textContent === "";
      this.host.classList.toggle("imaginary", world.noPosition.value);
    };
    state.reason.watch(update);
    world.noPosition.onChange(update);
    return text;
  }

  // On narrow screens the sides are sheets below the view.
  private sheetBar(hasSeries: boolean): HTMLElement {
    const { app } = this;
    const buttons: HTMLElement[] = [];
    const show = (sheet: string) => {
      app.dataset.sheet = app.dataset.sheet === sheet ? "" : sheet;
      for (const button of buttons) setPressed(button, button.dataset.sheet === app.dataset.sheet);
    };
    const add = (sheet: string, name: string, label: string) => {
      const button = tool(name, label, "", () => show(sheet), label);
      button.dataset.sheet = sheet;
      buttons.push(button);
    };
    add("left", "layers", "Layers");
    if (hasSeries) add("right", "plot", "Plots and events");
    show("right");
    return h("nav", { class: "sheets", "aria-label": "Sheets" }, ...buttons);
  }

  private addLiveTools(): void {
    const session = this.session!;
    const bar = this.app.querySelector(".timeline .buttons");
    if (!session.can("pause")) bar?.querySelector(".main")?.remove(); // no time passes
    if (session.can("restart")) bar?.append(tool("restart", "Restart", "R", () => this.play.restart?.()));
    if (session.can("speed")) {
      const select = h("select", { class: "speed", "aria-label": "Speed" });
      const names: [number, string][] = [
        [0.1, "0.1×"],
        [0.25, "0.25×"],
        [0.5, "0.5×"],
        [1, "1×"],
        [2, "2×"],
        [5, "5×"],
        [0, "max"],
      ];
      select.append(...names.map(([value, text]) => h("option", { value }, text)));
      select.value = String(this.state.scene.live?.speed ?? 1);
      select.addEventListener("change", () => this.play.setSpeed?.(Number(select.value)));
      bar?.append(select);
    }
    this.state.ended.onChange(() => {
      for (const control of bar?.querySelectorAll<HTMLButtonElement | HTMLSelectElement>(
        ".main, select, [aria-label='Restart']",
      ) ?? [])
        control.disabled = true;
    });
  }

  private describeView(): void {
    const { scene } = this.state;
    const bodies = scene.bodies.map((body) => body.name).join(", ");
    this.world.stage.renderer.domElement.setAttribute(
      "aria-label",
      `${scene.name} in three dimensions. Bodies: ${bodies}.`,
    );
  }

  // --- keys ---------------------------------------------------------------------------------------------------------

  private keys(): Key[] {
    const { state, play, world } = this;
    const { rig } = world.stage;
    const end = (i: 0 | 1) => () => state.seek(state.range()[i]);
    const layer = (id: string) => () => {
      const found = state.layer(id);
      if (found) found.on.value = !found.on.value;
    };
    const view = (keys: string[], shown: string, text: string, run: Key["run"]): Key => ({
      keys,
      shown,
      text,
      run,
      onView: true,
    });
    const list: Key[] = [
      { keys: [" ", "Shift+ "], shown: "Space", text: "play or pause", run: () => play.toggle() },
      { keys: ["ArrowLeft"], shown: "←", text: "one sample back", run: () => play.step(-1) },
      { keys: ["ArrowRight"], shown: "→", text: "one sample on", run: () => play.step(1) },
      {
        keys: ["Shift+ArrowLeft", "PageUp"],
        shown: "Shift ←",
        text: "a twentieth of the axis back",
        run: () => this.jump(-0.05),
      },
      { keys: ["Shift+ArrowRight", "PageDown"], shown: "Shift →", text: "a twentieth on", run: () => this.jump(0.05) },
      { keys: ["Home"], shown: "Home", text: "to the beginning", run: end(0) },
      { keys: ["End"], shown: "End", text: "to the end, or to now", run: end(1) },
      {
        keys: ["e"],
        shown: "E",
        text: "next event (with Shift the one before)",
        run: (event) => jumpToEvent(state, !event.shiftKey),
      },
      { keys: [","], shown: ",", text: "slower", run: () => play.faster(-1) },
      { keys: ["."], shown: ".", text: "faster", run: () => play.faster(1) },
      { keys: ["l"], shown: "L", text: "loop", run: () => (state.loop.value = !state.loop.value) },
      ...views.map((v) => ({ keys: [v.key], shown: v.key, text: v.label, run: () => (state.view.value = v.name) })),
      { keys: ["f"], shown: "F", text: "fit in the view", run: () => world.fit(!state.follow.value) },
      { keys: ["c"], shown: "C", text: "follow the mechanism", run: () => (state.follow.value = !state.follow.value) },
      { keys: ["n"], shown: "N", text: "names", run: layer("names") },
      { keys: ["g"], shown: "G", text: "other positions", run: layer("positions") },
      { keys: ["t"], shown: "T", text: "dark or light", run: () => (state.dark.value = !state.dark.value) },
      { keys: ["p", "/"], shown: "P", text: "search channels", run: () => this.channels.search.focus() },
      { keys: ["v"], shown: "V", text: "go to the view", run: () => world.stage.renderer.domElement.focus() },
      { keys: ["s"], shown: "S", text: "save a picture (PNG)", run: () => savePng(state, world) },
      {
        keys: ["[", "]"],
        shown: "[ ]",
        text: "hide the left or right side",
        run: (event) => this.toggleSide(event.key === "[" ? "left" : "right"),
      },
      { keys: ["Escape"], shown: "Esc", text: "let go of what is chosen", run: () => (state.selection.value = null) },
      { keys: ["?"], shown: "?", text: "this help", run: () => this.help.showModal() },
      view(["ArrowLeft"], "← → ↑ ↓", "turn the view", () => rig.orbit(0.1, 0)),
      view(["Shift+ArrowLeft"], "Shift ← → ↑ ↓", "shift the view", () => rig.pan(-0.05, 0)),
      view(["+", "="], "+ −", "zoom", () => rig.zoom(0.87)),
      view(["Enter"], "Enter", "choose the next body", () => this.chooseNext()),
    ];
    const hidden = [
      view(["ArrowRight"], "", "", () => rig.orbit(-0.1, 0)),
      view(["ArrowUp"], "", "", () => rig.orbit(0, 0.1)),
      view(["ArrowDown"], "", "", () => rig.orbit(0, -0.1)),
      view(["Shift+ArrowRight"], "", "", () => rig.pan(0.05, 0)),
      view(["Shift+ArrowUp"], "", "", () => rig.pan(0, 0.05)),
      view(["Shift+ArrowDown"], "", "", () => rig.pan(0, -0.05)),
      view(["-"], "", "", () => rig.zoom(1.15)),
    ];
    if (this.session) list.push(...this.liveKeys());
    return [...list, ...hidden];
  }
  private liveKeys(): Key[] {
    const pull = (right: number, up: number) => () => pullByKey(this.state, this.world, this.pull, right, up);
    return [
      { keys: ["r"], shown: "R", text: "restart", run: () => this.play.restart?.() },
      { keys: ["Alt+ArrowLeft"], shown: "Alt ← → ↑ ↓", text: "pull at what is chosen", run: pull(-1, 0), onView: true },
      { keys: ["Alt+ArrowRight"], shown: "", text: "", run: pull(1, 0), onView: true },
      { keys: ["Alt+ArrowUp"], shown: "", text: "", run: pull(0, 1), onView: true },
      { keys: ["Alt+ArrowDown"], shown: "", text: "", run: pull(0, -1), onView: true },
    ];
  }
  private jump(share: number): void {
    const [first, last] = this.state.range();
    this.state.playing.value = false;
    this.state.seek(this.state.cursor.value + share * (last - first));
  }
  private toggleSide(side: "left" | "right"): void {
    this.app.classList.toggle(`hide-${side}`);
  }
  private chooseNext(): void {
    const { value } = this.state.selection;
    const next = value?.kind === "body" ? value.index + 1 : 0;
    this.state.selection.value = next < this.state.scene.bodies.length ? { kind: "body", index: next } : null;
  }

  // --- from outside -------------------------------------------------------------------------------------------------

  // Where the middle of a body, a joint or a point is on the page, in CSS pixels.
  where(kind: "body" | "joint" | "point", name: string): { x: number; y: number } | null {
    const { scene } = this.state;
    const at = new Vector3();
    if (kind === "body") {
      const i = scene.bodies.findIndex((body) => body.name === name);
      if (i < 0) return null;
      at.copy(pointInWorld(this.world.poses, i, this.world.middleOf(i)));
    } else if (kind === "point") {
      const point = scene.points?.find((p) => p.name === name);
      if (!point) return null;
      at.copy(pointInWorld(this.world.poses, point.body, new Vector3(...point.p)));
    } else {
      const joint = scene.joints?.find((j) => j.name === name);
      if (!joint) return null;
      const [x, y, z] = joint.pose_first;
      at.copy(pointInWorld(this.world.poses, joint.first, new Vector3(x, y, z)));
    }
    const { stage } = this.world;
    stage.rig.update();
    stage.rig.camera.updateMatrixWorld();
    stage.toStage(at).project(stage.rig.camera);
    const box = this.host.getBoundingClientRect();
    return { x: box.left + ((at.x + 1) / 2) * box.width, y: box.top + ((1 - at.y) / 2) * box.height };
  }

  // A second scene becomes a ghost of this one, body by body of the same name.
  compare(other: Loaded, name: string): void {
    const ghost = ghostFrom(other.scene, this.state.scene, name);
    this.world.overlays.addGhost(ghost, { ...other, scene: this.state.scene });
    this.layers.rebuild();
    this.panels.rebuild();
    this.world.update();
  }
}

function section(title: string, content: HTMLElement): HTMLElement {
  const details = h(
    "details",
    { class: `fold ${title.toLowerCase()}`, open: true },
    h("summary", {}, h("h2", {}, title)),
    content,
  );
  return details;
}

export function ghostFrom(other: Scene, scene: Scene, name: string): Ghost {
  const index = other.bodies.map((body) => scene.bodies.findIndex((b) => b.name === body.name));
  if (!index.some((i) => i >= 0))
    throw new Error("It has no body of the same name as this scene: there is nothing to compare.");
  const series = other.series;
  if (series?.axis && series.poses) {
    if (series.poses.bodies.some((b) => index[b] < 0))
      throw new Error("Its bodies are not all in this scene: it cannot be compared.");
    const poses = { ...series.poses, bodies: series.poses.bodies.map((b) => index[b]) };
    return { name, axis: series.axis.values, poses, channels: series.channels };
  }
  const poses = scene.bodies.flatMap((body, i) => other.bodies[index.indexOf(i)]?.pose ?? body.pose.map(() => NaN));
  return { name, poses };
}
