// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// From a model to pixels: pages that `trammel view` writes and serves, in the browser.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openPage, ready, startBrowser } from "./browser.mjs";
import { arrived, cursor, done, looksLike, pixel, where } from "./support.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const tool = process.env.TRAMMEL_TOOL ?? join(root, "build/trammel");
const folder = mkdtempSync(join(tmpdir(), "trammel-tool-pages-"));
const model = (name) => join(root, "models", `${name}.yaml`);

let browser;
before(async () => {
  browser = await startBrowser({ width: 1000, height: 640 });
});
after(() => browser.close());

function write(name, ...options) {
  const path = join(folder, `${name}.html`);
  execFileSync(tool, ["view", ...options, "--html", path], { stdio: ["ignore", "ignore", "pipe"] });
  return path;
}
async function open(path) {
  const page = await openPage(browser.context, `file://${path}`);
  await ready(page);
  assert.equal(page.requests.length, 1, "one request");
  return page;
}

// After a pause frames that were on their way still come, and are drawn.
async function settled(page) {
  const cursor = () => page.evaluate(() => window.trammel.page.state.cursor.value);
  for (let before = NaN, now = await cursor(); now !== before; before = now, now = await cursor())
    await page.waitForTimeout(500);
  await arrived(page);
}

// At the projected middle of most bodies their colour is seen; others may stand before some of them.
async function assertBodiesDrawn(page, share = 0.6) {
  await arrived(page);
  const bodies = await page.evaluate(() =>
    window.trammel.page.world.solids.map((solid, i) => {
      let color = "";
      solid.traverse((part) => (color ||= part.isMesh ? `#${part.material.color.getHexString()}` : ""));
      return { name: window.trammel.page.state.scene.bodies[i].name, color };
    }),
  );
  assert.ok(bodies.length > 0);
  const seen = [];
  const missed = [];
  for (const { name, color } of bodies) {
    const at = await where(page, "body", name);
    const [r, g, b] = [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
    if (Math.max(r, g, b) - Math.min(r, g, b) < 30) continue; // grey: looks like its shadow
    (looksLike(await pixel(page, at), color) ? seen : missed).push(name);
  }
  assert.ok(seen.length >= share * (seen.length + missed.length), `seen: ${seen}; not: ${missed}`);
}

test("a four-bar linkage over a turn of its crank", async () => {
  const page = await open(
    write("four_bar", model("crank_rocker"), "--input", "O2=0:360:5", "--speed", "O2=60", "--forces"),
  );
  await assertBodiesDrawn(page);
  for (const x of [90, 200, 300]) {
    await page.evaluate((at) => window.trammel.setCursor(at), x);
    await assertBodiesDrawn(page);
    const q = await page.evaluate(() => {
      const { state } = window.trammel.page;
      const i = state.samples.channels.findIndex((c) => c.name === "O2.q");
      return state.samples.values(i)[Math.round(state.cursor.value / 5)];
    });
    assert.ok(Math.abs(q - x) < 1e-3, `O2.q is ${q} at ${x}`);
  }
  await page.locator("#input-0").fill("120");
  assert.equal(await cursor(page), 120);
  await assertBodiesDrawn(page);
  assert.match(await page.locator(".head").innerText(), /1 degree of freedom/);
  for (const id of ["layer-velocity", "layer-reaction", "layer-instant-centres", "layer-positions"])
    await page.locator(`#${id}`).click();
  await done(page);
});

test("a suspension over its jounce and steering", async () => {
  const page = await open(write("suspension", model("double_wishbone"), "--sweep"));
  await assertBodiesDrawn(page, 0.3); // thin arms are seen from the side
  const start = await where(page, "body", "upright");
  await page.locator("#input-1").fill("60");
  const up = await where(page, "body", "upright");
  assert.ok(up.y < start.y - 20, `the wheel goes up: from ${start.y} to ${up.y}`);
  await page.locator("#input-0").fill("60");
  assert.notDeepEqual(await where(page, "body", "upright"), up, "steering turns it");
  await assertBodiesDrawn(page, 0.3);
  await done(page);
});

test("a humanoid falls", async () => {
  const page = await open(write("humanoid", model("humanoid"), "--simulate", "0.5"));
  await assertBodiesDrawn(page, 0.5);
  const height = () => page.evaluate(() => window.trammel.page.world.poses[2]);
  const before = await height();
  await page.keyboard.press("End");
  assert.ok(Math.abs(before - (await height()) - 0.5 * 9.81 * 0.25) < 0.05, "by ½ g t²");
  await assertBodiesDrawn(page, 0.5);
  await done(page);
});

test("a Stewart platform", async () => {
  const page = await open(write("stewart", model("stewart"), "--simulate", "0.2"));
  await assertBodiesDrawn(page, 0.4);
  assert.match(await page.locator(".head").innerText(), /6 degrees of freedom/);
  await page.keyboard.press("End");
  await assertBodiesDrawn(page, 0.4);
  await done(page);
});

test("a recording plays", async () => {
  const recording = join(folder, "run.h5");
  execFileSync(tool, ["simulate", model("double_pendulum"), "--until", "2", "--record", recording], {
    stdio: "ignore",
  });
  const path = write("recording", recording);
  assert.ok(statSync(path).size < 2e6);
  const page = await open(path);
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => window.trammel.page.state.cursor.value > 0.5);
  await page.getByRole("button", { name: "Pause" }).click();
  await assertBodiesDrawn(page);
  assert.match(await page.locator(".head").innerText(), /Energy error.*max/s);
  await done(page);
});

// --- live -----------------------------------------------------------------------------------------------------------------

// A running tool and the address that it prints.
async function serve(...options) {
  const child = spawn(tool, ["view", ...options, "--no-open"], { stdio: ["ignore", "pipe", "pipe"] });
  const address = await new Promise((resolve, reject) => {
    let text = "";
    const read = (data) => {
      text += data;
      const found = /http:\/\/127\.0\.0\.1:\d+\/\?token=\w+/.exec(text);
      if (found) resolve(found[0]);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("exit", () => reject(new Error(`trammel view ended: ${text}`)));
  });
  return { child, address, ended: new Promise((resolve) => child.on("exit", resolve)) };
}

test("a point of a linkage is dragged to its dead point, and the page says so", async () => {
  const { child, address, ended } = await serve(model("crank_rocker"));
  const page = await openPage(browser.context, address);
  await ready(page);
  await page.waitForFunction(() => window.trammel.page.state.samples.count > 0);
  await assertBodiesDrawn(page);
  const joint = await where(page, "joint", "B");
  const pivot = await where(page, "joint", "O4");
  const before = await where(page, "body", "rocker");
  // Down to the right, about the rocker's pivot, until crank and coupler are in line.
  await page.mouse.move(joint.x, joint.y);
  await page.mouse.down();
  for (let i = 1; i <= 30; ++i) {
    await page.mouse.move(joint.x + ((pivot.y - joint.y) * 1.5 * i) / 30, joint.y + ((pivot.y - joint.y) * i) / 30);
    await page.waitForTimeout(20);
  }
  await page.locator("#reason", { hasText: "dead point" }).waitFor();
  const moved = await where(page, "body", "rocker");
  assert.ok(moved.x > before.x + 5, "the rocker followed");
  await page.mouse.move(joint.x, joint.y);
  await page.locator("#reason").waitFor({ state: "hidden" });
  await page.mouse.up();
  await done(page);
  await ended; // closing the page ends the tool
  assert.equal(child.exitCode, 0);
});

// Its centre of mass is in the middle of its rod, where no joint covers it.
test("a simulation runs, is paused, pulled at and begun anew", async () => {
  const { address, ended } = await serve(model("pendulum"));
  const page = await openPage(browser.context, address);
  await ready(page);
  await page.waitForFunction(() => window.trammel.page.state.cursor.value > 0.3);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.waitForFunction(() => !window.trammel.page.state.playing.value);
  await settled(page);
  const swung = await where(page, "body", "rod");
  await page.getByRole("button", { name: "Restart" }).click();
  await page.waitForFunction(() => window.trammel.page.state.cursor.value < 0.3);
  await settled(page);
  // Where it was drawn it is in the view; where the pause had caught it, late on a slow machine, perhaps not.
  assert.notDeepEqual(await where(page, "body", "rod"), swung, "it had moved");
  await assertBodiesDrawn(page, 0.5);
  await page.keyboard.press("v");
  await page.keyboard.press(" ");
  const at = await where(page, "body", await page.evaluate(() => window.trammel.page.state.scene.bodies[0].name));
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + 60, at.y - 20);
  await page.waitForFunction(() => window.trammel.page.state.cursor.value > 0.2);
  await page.mouse.up();
  await done(page);
  await ended;
});
