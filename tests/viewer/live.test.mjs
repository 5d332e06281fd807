// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The page's side of a live scene, against a server that plays trammel's part.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrowser, openPage, ready } from "./browser.mjs";
import { frame, startServer } from "./mock_server.mjs";
import { arrived, assertDrawn, cursor, done, emptyPage, where } from "./support.mjs";

let browser;
before(async () => {
  browser = await startBrowser({ width: 1000, height: 560 });
});
after(() => browser.close());

const simulation = ["pause", "step", "restart", "speed", "nudge", "set"];
const until = async (condition, what) => {
  for (let i = 0; i < 300; ++i) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`waited for ${what}`);
};
const crankAngle = (page) => page.evaluate(() => 2 * Math.atan2(window.trammel.page.world.poses[6], window.trammel.page.world.poses[3]));

async function open(can) {
  const server = await startServer(emptyPage, can);
  const page = await openPage(browser.context, server.address);
  await ready(page);
  return { server, page, heard: (type) => server.heard.filter((message) => message.type === type) };
}

test("frames move the bodies, the newest is shown, plots grow", async () => {
  const { server, page } = await open(simulation);
  assert.equal(server.peer.path, "/socket?token=abc");
  for (let i = 1; i <= 50; ++i) server.send(frame(0.02 * i, 0.02 * i));
  await until(async () => (await cursor(page)) === 1, "the last frame");
  assert.ok(Math.abs((await crankAngle(page)) - 1) < 1e-5);
  await assertDrawn(page, "body", "crank", "#e69f00");
  assert.equal(await page.evaluate(() => window.trammel.page.state.samples.count), 51);
  await until(async () => (await page.locator(".chip .value").innerText()).startsWith("57.3"), "the value in the plot");
  assert.match(await page.locator(".head").innerText(), /1\.5×/);
  // Back in time, and to now again.
  await page.evaluate(() => window.trammel.page.state.seek(0.5));
  assert.ok(Math.abs((await crankAngle(page)) - 0.5) < 1e-5);
  server.send(frame(1.02, 1.02));
  await page.waitForTimeout(200);
  assert.equal(await cursor(page), 0.5, "the cursor stays where it was put");
  await page.getByRole("button", { name: "Go to now" }).click();
  assert.equal(await cursor(page), 1.02);
  // A time that is less begins anew.
  server.send(frame(0, 0));
  await until(async () => (await page.evaluate(() => window.trammel.page.state.samples.count)) === 1, "a new beginning");
  await done(page);
  await server.close();
});

test("pause, resume, step, restart, speed and sliders are sent", async () => {
  const { server, page, heard } = await open(simulation);
  await page.getByRole("button", { name: "Pause" }).click();
  await until(() => heard("pause").length === 1, "pause");
  await page.getByRole("button", { name: "One sample on" }).click();
  await until(() => heard("step").length === 1, "step");
  await page.keyboard.press("v");
  await page.keyboard.press(" ");
  await until(() => heard("resume").length === 1, "resume");
  await page.getByRole("button", { name: "Restart" }).click();
  await until(() => heard("restart").length === 1, "restart");
  await page.selectOption("select.speed", "0");
  await until(() => heard("speed").some((m) => m.factor === 0), "speed");
  await page.locator("#control-0").fill("45");
  await until(() => heard("set").some((m) => m.control === 0 && m.value === 45), "set");
  server.send(JSON.stringify({ type: "state", running: false }));
  await page.getByRole("button", { name: "Play" }).waitFor();
  assert.equal(heard("pause").length, 1, "what trammel says is not sent back");
  await done(page);
  await server.close();
});

test("events and warnings arrive", async () => {
  const { server, page } = await open(simulation);
  server.send(frame(1, 0.2));
  server.send(JSON.stringify({ type: "event", x: 0.5, name: "stop", kind: "limit", text: "O reaches its stop" }));
  server.send(JSON.stringify({ type: "warning", text: "the servo is at its limit" }));
  await page.locator(".event", { hasText: "O reaches its stop" }).waitFor();
  assert.match(await page.locator(".warnings summary").innerText(), /1 warning/);
  await done(page);
  await server.close();
});

test("a point of a linkage can be dragged, and the page says why it stops", async () => {
  const { server, page, heard } = await open(["drag"]);
  // No time passes: nothing to pause, and frames are no seconds.
  assert.equal(await page.getByRole("button", { name: /^(Pause|Play)$/ }).count(), 0);
  assert.match(await page.locator(".readout").innerText(), /^frame/);
  let count = 0;
  server.peer.onMessage = (message) => {
    if (message.type !== "drag") return;
    const angle = Math.atan2(message.target[1], message.target[0]);
    server.send(frame(++count, Math.min(angle, 1)));
    const text = angle > 1 ? "dead point: crank and coupler are in line" : "";
    server.send(JSON.stringify({ type: "reason", kind: text && "dead point", text }));
  };
  const origin = await where(page, "joint", "O");
  const tip = await where(page, "point", "tip");
  const reach = tip.x - origin.x;
  const at = (angle) => [origin.x + reach * Math.cos(angle), origin.y - reach * Math.sin(angle)];
  await page.mouse.move(tip.x - 3, tip.y);
  await page.mouse.down();
  await page.mouse.move(...at(0.3));
  await page.mouse.move(...at(0.6));
  await until(async () => (await crankAngle(page)) > 0.4, "the crank to follow");
  const slider = page.locator("#control-0");
  await until(async () => Math.abs(Number(await slider.inputValue()) - 0.6) < 0.1, "the slider to go along");
  const first = heard("drag")[0];
  assert.equal(first.body, 0);
  assert.ok(Math.abs(first.point[0] - 0.1) < 0.02 && Math.abs(first.point[1]) < 0.02, `taken at ${first.point}, in the body's frame`);
  await page.mouse.move(...at(1.4));
  await page.locator("#reason", { hasText: "dead point" }).waitFor();
  await until(async () => Math.abs((await crankAngle(page)) - 1) < 1e-4, "the crank at its dead point");
  await page.mouse.move(...at(0.5));
  await page.locator("#reason").waitFor({ state: "hidden" });
  await page.mouse.up();
  await until(() => heard("release").length === 1, "release");
  await done(page);
  await server.close();
});

test("the keyboard can pull too", async () => {
  const { server, page, heard } = await open(simulation);
  await page.locator("#view").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Alt+ArrowUp");
  await until(() => heard("release").length === 1, "release");
  const [nudge] = heard("nudge");
  assert.ok(nudge.target[1] > 0 && nudge.body === 0);
  await done(page);
  await server.close();
});

test("when trammel ends, the page keeps what it has", async () => {
  const { server, page } = await open(simulation);
  server.send(frame(1, 0.5));
  await until(async () => (await cursor(page)) === 1, "the frame");
  server.send(JSON.stringify({ type: "bye", text: "trammel has ended" }));
  server.drop();
  await page.locator("#reason", { hasText: "ended" }).waitFor();
  assert.equal(await page.locator(".badge").textContent(), "ended");
  await page.evaluate(() => window.trammel.page.play.restart()); // which nobody hears any more
  assert.ok(await page.locator("button[aria-label='Restart']").isDisabled());
  await page.evaluate(() => window.trammel.page.state.seek(0.5));
  assert.ok(Math.abs((await crankAngle(page)) - 0.25) < 1e-3);
  await done(page);
  await server.close();
});

// --- the view grows -------------------------------------------------------------------------------------------------------

// How far from its middle these points of W are in the picture, at most: 1 is its edge.
async function spread(page, points) {
  await arrived(page);
  return page.evaluate((list) => {
    const { stage } = window.trammel.page.world;
    window.trammel.draw();
    const places = list.map((p) => stage.toStage(stage.up.clone().set(...p)).project(stage.rig.camera));
    return Math.max(...places.map((p) => Math.max(Math.abs(p.x), Math.abs(p.y))));
  }, points);
}
const follows = (page) => page.evaluate(() => window.trammel.page.state.follow.value);
const tipAt = (angle) => [0.1 * Math.cos(angle), 0.1 * Math.sin(angle), 0];
const turn = Array.from({ length: 33 }, (_, i) => (Math.PI * i) / 16);
async function showFrames(server, page, list) {
  for (const bytes of list) {
    server.send(bytes);
    await page.waitForFunction((t) => window.trammel.page.state.cursor.value === t, bytes.readDoubleLE(16));
  }
}

test("what swings out of the picture is taken into it", async () => {
  const { server, page } = await open(simulation);
  assert.ok((await spread(page, [[0, 0, 0], tipAt(0)])) < 1);
  for (const [i, angle] of turn.entries()) {
    await showFrames(server, page, [frame(0.02 * (i + 1), angle)]);
    if (i % 4 === 0) assert.ok((await spread(page, [tipAt(angle)])) < 1, `the tip at ${angle}`);
  }
  const furthest = await spread(page, turn.map(tipAt));
  assert.ok(furthest < 1 && furthest > 0.6, `the whole turn: ${furthest}`);
  assert.equal(await follows(page), false);
  await done(page);
  await server.close();
});

test("a view that the reader has zoomed stays, until it is fitted", async () => {
  const { server, page } = await open(simulation);
  await page.locator("#view").focus();
  await page.keyboard.press("+");
  await showFrames(server, page, turn.map((angle, i) => frame(0.02 * (i + 1), angle)));
  assert.ok((await spread(page, turn.map(tipAt))) > 1.2, "zoomed in");
  await page.keyboard.press("f");
  assert.ok((await spread(page, turn.map(tipAt))) < 1, "fitted");
  await done(page);
  await server.close();
});

test("a view does not move under a hand that pulls, but after it", async () => {
  const { server, page } = await open(["drag"]);
  const tip = await where(page, "point", "tip");
  await page.mouse.move(tip.x - 3, tip.y);
  await page.mouse.down();
  await page.mouse.move(tip.x - 10, tip.y - 60);
  const before = await where(page, "joint", "O");
  await showFrames(server, page, turn.map((angle, i) => frame(i + 1, angle)));
  assert.deepEqual(await where(page, "joint", "O"), before);
  await page.mouse.up();
  await showFrames(server, page, [frame(100, 0)]);
  assert.ok((await spread(page, turn.map(tipAt))) < 1);
  await done(page);
  await server.close();
});

test("what flies far away is followed", async () => {
  const { server, page } = await open(simulation);
  for (let i = 1; i <= 40; ++i) await showFrames(server, page, [frame(0.02 * i, 0, [0.05 * i, 0])]);
  assert.equal(await follows(page), true);
  const most = await spread(page, [[2, 0, 0], [2.1, 0, 0]]);
  assert.ok(most < 1 && most > 0.1, `${most}`);
  await done(page);
  await server.close();
});
