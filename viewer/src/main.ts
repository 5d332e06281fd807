// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Where the page begins: finds the scene in the page, at a running trammel, or in a file that the reader gives.

import "uplot/dist/uPlot.min.css";
import "./style.css";
import { Connection } from "./live/socket";
import { Page } from "./page";
import { fromBase64, loadScene, type Loaded } from "./scene/bundle";
import type { ViewName } from "./state";
import { h } from "./ui/dom";

const app = document.getElementById("app")!;
let page: Page | null = null;
const misunderstood: string[] = []; // words of the address that mean nothing here
let isReady: () => void = () => undefined;
const ready = new Promise<void>((resolve) => (isReady = resolve));

function fail(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  const message = h("p", { class: "failure", role: "alert" }, text);
  if (page) {
    app.append(message);
    setTimeout(() => message.remove(), 8000);
  } else app.replaceChildren(h("div", { class: "welcome" }, h("h1", {}, "trammel"), message));
}

function open(loaded: Loaded, connection: Connection | null): Page {
  page?.close();
  page = new Page(app, loaded, connection);
  applyAddress(page);
  isReady();
  return page;
}

const words = ["theme", "view", "x", "play", "still", "show", "hide", "plot", "zoom"];

// What stands behind # in the address: see docs/formats/scene.md. What means nothing is among the warnings.
function applyAddress(shown: Page): void {
  const wishes = new URLSearchParams(location.hash.slice(1));
  const { state, panels, world } = shown;
  const list = (key: string) => (wishes.get(key) ?? "").split(",").filter(Boolean);
  const number = (key: string) => {
    const text = wishes.get(key) ?? "";
    if (text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
    if (wishes.has(key)) misunderstood.push(`${key}: '${text}' is not a number`);
    return NaN;
  };
  const oneOf = (key: string, words: string[]) => {
    const word = wishes.get(key);
    if (word === null || words.includes(word)) return word;
    misunderstood.push(`there is no ${key} '${word}'; there are ${words.join(", ")}`);
    return null;
  };
  misunderstood.length = 0;
  for (const key of new Set(wishes.keys())) if (!words.includes(key)) misunderstood.push(`'${key}' means nothing`);
  const theme = oneOf("theme", ["dark", "light"]);
  if (theme) state.dark.value = theme === "dark";
  const view = oneOf("view", ["perspective", "xy", "xz", "yz"]);
  if (view) state.view.value = view as ViewName;
  if (wishes.has("still")) {
    app.classList.add("still");
    world.stage.resize();
    world.stage.fit(!state.follow.value, false);
  }
  const zoom = number("zoom");
  if (zoom > 0) world.stage.rig.zoom(1 / zoom);
  else if (zoom <= 0) misunderstood.push(`zoom: ${zoom} is not a positive number`);
  for (const key of ["show", "hide"]) {
    for (const id of list(key)) {
      const layer = state.layer(id);
      if (layer) layer.on.value = key === "show";
      else misunderstood.push(`there is no layer '${id}'; there are ${state.layers.map((l) => l.id).join(", ")}`);
    }
  }
  for (const name of list("plot")) {
    const channel = state.samples.channels.findIndex((c) => c.name === name);
    if (channel < 0) misunderstood.push(`there is no channel '${name}'`);
    else if (!panels.plotted.includes(channel)) panels.addChannel(channel, true);
  }
  const x = number("x");
  const [first, last] = state.range();
  if (!state.samples.grows && (x < Math.min(first, last) || x > Math.max(first, last)))
    misunderstood.push(`x: ${x} is not there, it goes from ${first} to ${last}`);
  if (!Number.isNaN(x)) state.seek(x);
  if (wishes.has("play")) state.playing.value = true;
  if (misunderstood.length > 0)
    state.warnings.value = [...state.warnings.value, ...misunderstood.map((m) => `address: ${m}`)];
}

function connect(path: string): void {
  let live: Page | null = null;
  const connection: Connection = new Connection(path, {
    scene: (loaded) => (live = open(loaded, connection)),
    frame: (frame) => live?.session?.frame(frame),
    message: (message) => live?.session?.message(message),
    closed: (text) =>
      live
        ? live.session?.end(text)
        : fail("trammel does not answer. Start it again and open the address that it prints."),
    failed: fail,
  });
}

async function openFile(file: File): Promise<void> {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const loaded = await loadScene(await sceneInPage(bytes));
    if (page) page.compare(loaded, file.name);
    else open(loaded, null);
  } catch (error) {
    fail(error);
  }
}

// A page that trammel wrote has its scene inside.
async function sceneInPage(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes[0] !== "<".charCodeAt(0)) return bytes;
  const inside = new DOMParser().parseFromString(new TextDecoder().decode(bytes), "text/html");
  return bytesOf(inside.getElementById("trammel-scene")) ?? bytes;
}

function bytesOf(element: HTMLElement | null): Uint8Array | null {
  if (!element) return null;
  const text = element.textContent ?? "";
  return element.getAttribute("type") === "application/json" ? new TextEncoder().encode(text) : fromBase64(text);
}

function welcome(): void {
  const file = h("input", { type: "file", id: "file", accept: ".html,.json,.scene,.gz" });
  file.addEventListener("change", () => file.files?.[0] && void openFile(file.files[0]));
  app.replaceChildren(
    h(
      "div",
      { class: "welcome" },
      h("h1", {}, "trammel"),
      h("p", {}, "This page shows mechanisms, sweeps and recordings. It has none inside."),
      h("pre", {}, "trammel view MODEL.yaml --html page.html"),
      h("p", {}, "makes one that has. Or give it a file:"),
      h("label", { class: "choose", for: "file" }, "Choose a scene, or drop one here"),
      file,
    ),
  );
}

function acceptDrops(): void {
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) void openFile(file);
  });
}

async function start(): Promise<void> {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  const live = document.getElementById("trammel-live");
  const element = document.getElementById("trammel-scene");
  acceptDrops();
  if (live) return connect((JSON.parse(live.textContent ?? "{}") as { path: string }).path);
  if (!element) return welcome();
  const bytes = bytesOf(element)!;
  element.remove(); // twice in memory is once too often
  open(await loadScene(bytes), null);
}

Object.assign(window, {
  trammel: {
    ready,
    misunderstood,
    setCursor: (x: number) => {
      page!.state.playing.value = false;
      page!.state.seek(x);
      page!.world.stage.drawNow();
    },
    xRange: () => page!.state.range(),
    draw: () => page!.world.stage.drawNow(),
    where: (kind: "body" | "joint" | "point", name: string) => page!.where(kind, name),
    get page() {
      return page;
    },
  },
});

start().catch(fail);
