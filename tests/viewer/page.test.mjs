// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The page in a browser: what should be drawn is drawn, time and plots and view go together, every control works and can be reached.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { startBrowser, openPage, ready } from "./browser.mjs";
import * as scenes from "./scenes.mjs";
import { assertDrawn, cursor, done, emptyPage, looksLike, pictureHash, pixel, resize, show, where, writePage } from "./support.mjs";

const colors = { crank: "#e69f00", coupler: "#56b4e9", rocker: "#009e73" };
const fourBar = () => scenes.embed(emptyPage, scenes.bundle(scenes.fourBarSweep()));
const withDeadPoints = () => scenes.embedJson(emptyPage, scenes.fourBarSweep({ a: 0.07, b: 0.05, c: 0.08, d: 0.1 }));
const zoo = () => scenes.embed(emptyPage, scenes.bundle(scenes.zoo()));

let browser;
before(async () => {
  browser = await startBrowser({ width: 1000, height: 640, acceptDownloads: true });
});
after(() => browser.close());

test("a file shows its mechanism, with one request", async () => {
  const page = await show(browser.context, fourBar());
  for (const [name, hex] of Object.entries(colors)) await assertDrawn(page, "body", name, hex);
  assert.equal(page.requests.length, 1, page.requests.join("\n"));
  assert.equal(await page.title(), "crank-rocker – trammel");
  const head = await page.locator(".head").innerText();
  for (const text of ["crank-rocker", "1 degree of freedom", "Energy error", "Loop drift", "3.1e−17", "Real-time factor", "no warnings"])
    assert.ok(head.includes(text), `the head lacks '${text}': ${head}`);
  await done(page);
});

test("the mechanism goes where the cursor is", async () => {
  const page = await show(browser.context, fourBar());
  const old = await where(page, "body", "crank");
  await page.evaluate(() => window.trammel.setCursor(90));
  await assertDrawn(page, "body", "crank", colors.crank);
  await assertDrawn(page, "body", "rocker", colors.rocker);
  assert.ok(!looksLike(await pixel(page, old), colors.crank), "the crank is still where it was");
  await done(page);
});

test("between samples bodies go straight and turn the short way", async () => {
  const page = await show(browser.context, fourBar());
  const poses = await page.evaluate(() => {
    const { state, world } = window.trammel.page;
    state.seek(91); // between 90 and 92 degrees
    return [...world.poses.slice(0, 7)];
  });
  const half = (91 * Math.PI) / 360;
  assert.ok(Math.abs(poses[3] - Math.cos(half)) < 1e-6 && Math.abs(poses[6] - Math.sin(half)) < 1e-6, String(poses));
  await done(page);
});

test("play, pause, steps, loop and speed", async () => {
  const page = await show(browser.context, zoo());
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => window.trammel.page.state.cursor.value > 0.3);
  await page.keyboard.press("v");
  await page.keyboard.press(" ");
  const paused = await cursor(page);
  assert.equal(await page.evaluate(() => window.trammel.page.state.playing.value), false);
  await page.waitForTimeout(150);
  assert.equal(await cursor(page), paused);
  await page.getByRole("button", { name: "One sample on" }).click();
  const step = 4 / 300;
  const after1 = await cursor(page);
  assert.ok(after1 > paused && after1 <= paused + 1.5 * step + 1e-9);
  await page.getByRole("button", { name: "One sample back" }).click();
  assert.ok(Math.abs((await cursor(page)) - (after1 - step)) < 1e-9);
  await page.selectOption("select.speed", "10");
  await page.getByRole("button", { name: "Loop", exact: true }).click();
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => !window.trammel.page.state.playing.value);
  assert.equal(await cursor(page), 4, "without loop it ends at the end");
  await done(page);
});

test("dragging in a plot moves the mechanism", async () => {
  const page = await show(browser.context, fourBar());
  const box = await page.locator(".u-over").first().boundingBox();
  const [from, to] = [0.2, 0.6].map((share) => box.x + share * box.width);
  await page.mouse.move(from, box.y + 30);
  await page.mouse.down();
  await page.mouse.move((from + to) / 2, box.y + 40);
  await page.mouse.move(to, box.y + 40);
  await page.mouse.up();
  assert.ok(Math.abs((await cursor(page)) - 0.6 * 360) < 2, String(await cursor(page)));
  await assertDrawn(page, "body", "rocker", colors.rocker);
  // The cursor of the other plot and the track say the same.
  const shares = await page.evaluate(() => {
    const share = (line, box) => {
      const [a, b] = [line.getBoundingClientRect(), box.getBoundingClientRect()];
      return (a.left + a.width / 2 - b.left) / b.width;
    };
    const overs = [...document.querySelectorAll(".u-over")];
    const track = document.querySelector("#track");
    return [...overs.map((over) => share(over.querySelector(".plot-cursor"), over)), share(track.querySelector(".thumb"), track)];
  });
  for (const share of shares) assert.ok(Math.abs(share - 0.6) < 0.01, String(shares));
  await done(page);
});

test("plots zoom and go back", async () => {
  const page = await show(browser.context, fourBar());
  const over = page.locator(".u-over").first();
  const box = await over.boundingBox();
  await page.keyboard.down("Shift");
  await page.mouse.move(box.x + 0.25 * box.width, box.y + 30);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 30);
  await page.mouse.up();
  await page.keyboard.up("Shift");
  const zoom = await page.evaluate(() => window.trammel.page.state.zoom.value);
  assert.ok(Math.abs(zoom[0] - 90) < 3 && Math.abs(zoom[1] - 180) < 3, String(zoom));
  await over.dblclick();
  assert.equal(await page.evaluate(() => window.trammel.page.state.zoom.value), null);
  await done(page);
});

test("the slider of a sweep moves the linkage, and dead points and stretches without positions are told", async () => {
  const page = await show(browser.context, withDeadPoints());
  const slider = page.locator("#input-0");
  await slider.fill("60");
  assert.equal(await cursor(page), 60);
  await assertDrawn(page, "body", "rocker", colors.rocker);
  assert.equal(await page.locator(".slider-marks .mark.dead").count(), 2);
  assert.equal(await page.locator(".slider-marks .stretch").count(), 1);
  await slider.fill("180");
  const banner = page.locator("#reason");
  await banner.waitFor({ state: "visible" });
  assert.match(await banner.innerText(), /No position here/);
  assert.match(await page.locator(".verdict").innerText(), /cannot reach/);
  assert.equal((await page.locator(".chip .value").first().innerText()).trim(), "–", "no number has no unit");
  const dead = await page.evaluate(() => window.trammel.page.state.scene.inputs[0].dead_points[0].value);
  await page.evaluate((x) => window.trammel.setCursor(x), dead);
  assert.match(await page.locator(".verdict").innerText(), /dead point/);
  await page.evaluate((x) => window.trammel.setCursor(x - 2), dead);
  await banner.waitFor({ state: "hidden" });
  await done(page);
});

// Ticks every box off or on, one after the other, and looks for a change of the picture or of the names over it.
async function toggleEveryLayer(page) {
  const look = async () => `${await pictureHash(page)} ${await page.locator(".label:visible").count()}`;
  const ids = await page.locator(".layers input[type=checkbox]").evaluateAll((list) => list.map((box) => box.id));
  const first = await look();
  for (const id of ids) {
    await page.locator(`#${id}`).click();
    assert.notEqual(await look(), first, `${id} changes nothing`);
    await page.locator(`#${id}`).click();
  }
  assert.equal(await look(), first, "what was before does not come back");
  return ids;
}

test("every layer changes the picture", async () => {
  const page = await show(browser.context, zoo(), "x=1.5");
  await resize(page, 800, 440);
  const ids = await toggleEveryLayer(page);
  assert.ok(ids.length >= 28, `only ${ids.length} layers: ${ids}`);
  await done(page);
});

test("layers of a planar linkage change the picture", async () => {
  const page = await show(browser.context, fourBar(), "x=60");
  await resize(page, 800, 440);
  await toggleEveryLayer(page);
  await done(page);
});

test("arrows have a scale that the reader may change", async () => {
  const page = await show(browser.context, zoo(), "show=reaction");
  assert.match(await page.locator(".legend").innerText(), /reaction \d+\sN/);
  const start = await pictureHash(page);
  await page.getByLabel("Scale of Reactions").fill("2.5");
  assert.notEqual(await pictureHash(page), start);
  await done(page);
});

test("plan views, fit and follow", async () => {
  const page = await show(browser.context, zoo());
  // xy is seen from +z: x to the right, y upwards.
  await page.getByRole("button", { name: /Plan view xy/ }).click();
  const [box, capsule, ellipsoid] = [await where(page, "body", "box"), await where(page, "body", "capsule"), await where(page, "body", "ellipsoid")];
  assert.ok(capsule.x > box.x + 50 && Math.abs(capsule.y - box.y) < 1, "x to the right");
  assert.ok(ellipsoid.y < box.y - 20 && Math.abs(ellipsoid.x - box.x) < 1, "y upwards");
  await page.keyboard.press("3");
  const side = await where(page, "body", "capsule");
  assert.ok(side.x > (await where(page, "body", "box")).x + 50, "xz: x to the right");
  await page.keyboard.press("4");
  assert.ok((await where(page, "body", "ellipsoid")).x > (await where(page, "body", "box")).x + 20, "yz: y to the right");
  await page.keyboard.press("1");
  await page.locator("#view").focus();
  const before = await where(page, "body", "box");
  await page.keyboard.press("ArrowLeft");
  assert.notDeepEqual(await where(page, "body", "box"), before, "arrow keys turn the view");
  for (let i = 0; i < 30; ++i) await page.keyboard.press("-");
  assert.ok(Math.abs((await where(page, "body", "box")).x - (await where(page, "body", "capsule")).x) < 30, "zoomed out");
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.keyboard.press("f");
  assert.ok(Math.abs((await where(page, "body", "box")).x - (await where(page, "body", "capsule")).x) > 80, "fits again");
  await done(page);
});

test("names on hover, a card on click", async () => {
  const page = await show(browser.context, fourBar());
  const at = await where(page, "body", "coupler");
  await page.mouse.move(at.x, at.y);
  await page.locator(".label.body:visible", { hasText: "coupler" }).waitFor();
  await page.mouse.click(at.x, at.y);
  const card = page.locator(".card");
  await card.waitFor({ state: "visible" });
  const text = await card.innerText();
  for (const part of ["coupler", "0.3 kg", "A (revolute)", "B (revolute)"]) assert.ok(text.replace(/\s/g, " ").includes(part), text);
  await page.keyboard.press("Escape");
  await card.waitFor({ state: "hidden" });
  const joint = await where(page, "joint", "B");
  await page.mouse.click(joint.x, joint.y);
  assert.match(await card.innerText(), /revolute joint, closes a loop/);
  await done(page);
});

test("events are listed, marked and reached", async () => {
  const page = await show(browser.context, zoo());
  await page.keyboard.press("e");
  assert.equal(await cursor(page), 1.2);
  assert.match(await page.locator(".event[aria-current=true]").innerText(), /touch/);
  await page.locator(".event", { hasText: "upper stop" }).click();
  assert.equal(await cursor(page), 2.9);
  await page.keyboard.press("v");
  await page.keyboard.press("Shift+E");
  assert.equal(await cursor(page), 1.2);
  assert.equal(await page.locator(".track .mark").count(), 2);
  await done(page);
});

test("channels are found by parts of their names and plotted with their units", async () => {
  const page = await show(browser.context, zoo());
  await page.keyboard.press("p");
  await page.keyboard.type("loops pos");
  assert.equal(await page.locator(".channel").count(), 1);
  const panels = await page.locator(".panel").count();
  await page.keyboard.press("Enter");
  assert.ok((await page.locator(".chip").allInnerTexts()).some((text) => text.includes("loops.position")));
  await page.keyboard.press("Shift+Enter");
  assert.equal(await page.locator(".panel").count(), panels + 1);
  await page.locator("#channel-search").fill("no such thing");
  assert.match(await page.locator(".channels .hint").innerText(), /No channel/);
  await page.locator("#channel-search").fill("");
  await page.locator(".channel", { hasText: "fz" }).click();
  assert.equal(await page.locator(".channel", { hasText: "fz" }).getAttribute("aria-pressed"), "true");
  // Angles in radians.
  await page.getByRole("button", { name: /angles in/ }).click();
  await page.evaluate(() => window.trammel.setCursor(1));
  assert.match(await page.locator(".chip").first().innerText(), /0\.8415\s*rad/);
  await done(page);
});

async function download(page, name) {
  await page.locator("#exports > summary").click();
  const [file] = await Promise.all([page.waitForEvent("download"), page.locator(".menu-item", { hasText: name }).click()]);
  await page.keyboard.press("Escape");
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}

test("picture, plots, numbers and film can be saved", async () => {
  const page = await show(browser.context, zoo());
  const png = await download(page, "the view as it is");
  assert.equal(png.name, "zoo.png");
  assert.equal(png.bytes.subarray(1, 4).toString(), "PNG");
  assert.ok(png.bytes.length > 20000, "the picture is not empty");
  const svg = await download(page, "all plots");
  const text = svg.bytes.toString();
  assert.match(text, /elbow\.q \(second run\)/);
  const valid = await page.evaluate((source) => {
    const parsed = new DOMParser().parseFromString(source, "image/svg+xml");
    return parsed.querySelector("parsererror") === null && parsed.querySelectorAll("path[clip-path]").length;
  }, text);
  assert.equal(valid, 4, "four lines");
  const csv = (await download(page, "all channels")).bytes.toString().split("\n");
  assert.equal(csv[0], "t [s],elbow.q [rad],elbow.v [rad/s],energy.total [J],energy.error [J],loops.position [m],fx [N],fy [N],fz [N]");
  assert.equal(csv.length, 303);
  const row = csv[151].split(",").map(Number);
  assert.ok(Math.abs(row[0] - 2) < 1e-12 && Math.abs(row[1] - Math.sin(2)) < 1e-12 && row[3] === 12);
  await page.selectOption("select.speed", "2");
  const film = await download(page, "a film");
  assert.equal(film.bytes.readUInt32BE(0), 0x1a45dfa3, "begins as WebM does");
  assert.ok(film.bytes.length > 3000);
  await done(page);
});

test("the keyboard reaches every control, and each has a name", async () => {
  const page = await show(browser.context, zoo());
  const wanted = await page.evaluate(() => {
    const all = [...document.querySelectorAll("button, input, select, summary, [tabindex='0']")];
    const seen = all.filter((e) => e.checkVisibility() && !e.disabled);
    seen.forEach((e, i) => (e.dataset.control = String(i)));
    const nameless = seen.filter((e) => {
      const label = e.getAttribute("aria-label") ?? (e.labels?.[0]?.textContent || e.textContent);
      return label.trim() === "";
    });
    return { count: seen.length, nameless: nameless.map((e) => e.outerHTML) };
  });
  assert.deepEqual(wanted.nameless, []);
  const reached = new Set();
  await page.evaluate(() => document.body.focus());
  for (let i = 0; i < wanted.count + 20; ++i) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement?.dataset.control ?? ""));
  }
  reached.delete("");
  assert.equal(reached.size, wanted.count, "some control cannot be reached by Tab");
  await page.keyboard.press("v");
  await page.keyboard.press("?");
  assert.ok(await page.locator("dialog.help").isVisible());
  await page.keyboard.press("Escape");
  await done(page);
});

// Contrast of text against what is behind it, as the Web Content Accessibility Guidelines count it.
function lowContrast() {
  const parse = (c) => (c.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  const light = (c) => {
    const [r, g, b] = c.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (e) => {
    for (let at = e; at; at = at.parentElement) {
      if (at.matches(".view")) return null; // the picture, which may have any colour there
      const c = parse(getComputedStyle(at).backgroundColor);
      if (c.length < 4 || c[3] > 0.8) return c.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const texts = [...document.querySelectorAll("body *")].filter(
    (e) => e.checkVisibility() && [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim() !== ""),
  );
  return texts.flatMap((e) => {
    const back = behind(e);
    if (!back) return [`${e.tagName}.${e.className} '${e.textContent.trim().slice(0, 30)}' stands on the picture itself`];
    const [a, b] = [light(parse(getComputedStyle(e).color).slice(0, 3)), light(back)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    return ratio < 4.5 ? [`${e.tagName}.${e.className} '${e.textContent.trim().slice(0, 30)}' ${ratio.toFixed(2)}`] : [];
  });
}

test("text has contrast, dark and light", async () => {
  const page = await show(browser.context, zoo(), "theme=light&show=names,reaction");
  assert.deepEqual(await page.evaluate(lowContrast), []);
  const light = await pixel(page, { x: 500, y: 100 });
  await page.keyboard.press("t");
  assert.deepEqual(await page.evaluate(lowContrast), []);
  const dark = await pixel(page, { x: 500, y: 100 });
  assert.ok(light.every((v) => v > 120) && dark.every((v) => v < 120), `${light} ${dark}`);
  await done(page);
});

test("on a phone everything has its place", async () => {
  const scene = { ...scenes.fourBarSweep(), warnings: ["one", "two"], name: "crank-rocker with a long name" };
  const page = await show(browser.context, scenes.embed(emptyPage, scenes.bundle(scene)));
  await resize(page, 390, 844);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  // What must always be seen is there whole: the name, and every fact.
  const cut = await page.evaluate(() =>
    [...document.querySelectorAll(".head h1, .fact")].filter((e) => {
      const box = e.getBoundingClientRect();
      return box.width === 0 || box.left < 0 || box.right > innerWidth || e.scrollWidth > e.clientWidth + 1;
    }).map((e) => e.textContent),
  );
  assert.deepEqual(cut, []);
  const view = await page.locator("#stage").boundingBox();
  assert.ok(view.width === 390 && view.height > 250, JSON.stringify(view));
  await assertDrawn(page, "body", "coupler", colors.coupler);
  await page.locator(".u-over").first().waitFor({ state: "visible" });
  await page.getByRole("button", { name: "Layers" }).click();
  assert.ok(await page.locator("#layer-names").isVisible());
  assert.ok(!(await page.locator(".u-over").first().isVisible()));
  await page.getByRole("button", { name: "Layers" }).click();
  assert.ok((await page.locator("#stage").boundingBox()).height > view.height + 150, "without a sheet there is more room");
  await done(page);
});

test("so has it on a phone that lies on its side", async () => {
  const page = await show(browser.context, zoo());
  await resize(page, 844, 390);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 844);
  const inside = async (selector) => {
    const box = await page.locator(selector).first().boundingBox();
    assert.ok(box && box.x >= 0 && box.y >= 0 && box.x + box.width <= 844 && box.y + box.height <= 390, `${selector}: ${JSON.stringify(box)}`);
    return box;
  };
  for (const selector of [".head h1", ".timeline", ".readout", ".sheets", "#stage"]) await inside(selector);
  const narrow = await inside("#stage");
  assert.ok(narrow.height > 250, "the head and the foot leave room");
  const readout = await inside(".readout");
  await page.evaluate(() => window.trammel.setCursor(window.trammel.xRange()[1]));
  const thumb = await inside(".thumb");
  assert.ok(thumb.x + thumb.width <= readout.x, "the knob covers no number");
  await page.getByRole("button", { name: "Plots and events" }).click();
  const wide = await inside("#stage");
  assert.ok(wide.width > narrow.width + 250, `without a sheet there is more room: ${wide.width}`);
  await page.getByRole("button", { name: "Layers" }).click();
  assert.ok(await page.locator("#layer-names").isVisible());
  await done(page);
});

test("numbers are taken along in as few digits as tell them apart, under names of their own", async () => {
  const values = { from: 0, step: 0.1, count: 4 };
  const channels = [
    { name: "O2", unit: "deg", group: "coordinates", values: [0, 0.1, 0.2, 0.3] },
    { name: "O4", unit: "deg", group: "coordinates", values: [0.1, 0.2, 0.3, 1e-7].map(Math.fround) },
    { name: "O4", unit: "deg", group: "inputs", values: [1, 2, 3, 4] },
    { name: "O4", unit: "deg", group: "inputs", values: [1 / 3, 2, 3, 4] },
  ];
  const scene = { trammel_scene: 1, kind: "recording", name: "named", bodies: [], series: { axis: { name: "O2", unit: "deg", values }, channels } };
  const page = await show(browser.context, scenes.embedJson(emptyPage, scene));
  const csv = (await download(page, "all channels")).bytes.toString().split("\n");
  assert.deepEqual(csv, [
    "O2 [deg],O4 [deg],O4 (inputs) [deg],O4 (2) [deg]",
    "0,0.1,1,0.333333333333333",
    "0.1,0.2,2,2",
    "0.2,0.3,3,3",
    "0.3,1e-7,4,4",
    "",
  ]);
  await done(page);
});

test("words of the address that mean nothing are among the warnings", async () => {
  const page = await show(browser.context, zoo(), "theme=pink&show=frames,ghost&zoom=far&glow");
  const told = await page.evaluate(() => [...window.trammel.misunderstood]);
  assert.equal(told.length, 4, told.join("\n"));
  assert.ok(await page.evaluate(() => window.trammel.page.state.layer("frames").on.value), "what means something is done");
  assert.match(await page.locator(".warning-list").textContent(), /there is no theme 'pink'; there are dark, light/);
  await done(page);
});

test("a mechanism alone has no time", async () => {
  const { series: _series, inputs: _inputs, ...scene } = scenes.fourBarSweep();
  const page = await show(browser.context, scenes.embedJson(emptyPage, { ...scene, kind: "mechanism" }));
  for (const [name, hex] of Object.entries(colors)) await assertDrawn(page, "body", name, hex);
  assert.equal(await page.locator(".timeline").count(), 0);
  await page.keyboard.press(" ");
  await done(page);
});

test("a sweep over two inputs has two sliders", async () => {
  const scene = scenes.fourBarSweep({ n: 5 });
  const poses = [0, 0.01].map((z) => Array.from({ length: 5 }, () => scenes.pose(0, 0, z)));
  const all = poses.flat();
  scene.bodies = scene.bodies.slice(0, 1);
  scene.joints = [];
  scene.points = [];
  scene.inputs = [{ name: "height", unit: "mm", values: [0, 10] }, { name: "O2", unit: "deg", values: [360, 270, 180, 90, 0] }];
  scene.series = {
    axis: { name: "O2", unit: "deg", values: [360, 270, 180, 90, 0] },
    poses: { bodies: [0], values: Array.from({ length: 7 }, (_, c) => all.map((p) => p[c])).flat() },
    channels: [{ name: "count", unit: "1", group: "", values: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] }],
    plots: [[0]],
  };
  const page = await show(browser.context, scenes.embedJson(emptyPage, scene));
  const value = () => page.locator(".chip .value").first().innerText();
  const height = () => page.evaluate(() => window.trammel.page.world.poses[2]);
  await page.evaluate(() => window.trammel.setCursor(90));
  assert.deepEqual([await value(), await height()], ["3", 0]);
  await page.locator("#input-0").fill("10");
  assert.deepEqual([await value(), await height()], ["8", 0.01]);
  await page.evaluate(() => window.trammel.setCursor(360));
  assert.equal(await value(), "5");
  await done(page);
});

test("a second file becomes a ghost, and its channels are drawn beside", async () => {
  const page = await show(browser.context, fourBar());
  const other = writePage(scenes.embed(emptyPage, scenes.bundle(scenes.fourBarSweep({ c: 0.09 }))));
  const bytes = [...readFileSync(other)];
  const start = await pictureHash(page);
  await page.evaluate((list) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(list)], "longer rocker.html"));
    window.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer }));
  }, bytes);
  await page.locator("label", { hasText: "Ghost: longer rocker.html" }).waitFor();
  assert.notEqual(await pictureHash(page), start);
  assert.ok((await page.locator(".chip").allInnerTexts()).some((text) => text.includes("O4.q (longer rocker.html)")));
  await done(page);
});

test("what cannot be shown is told in words", async () => {
  const cases = [
    [scenes.embedJson(emptyPage, { trammel_scene: 2, bodies: [] }), /version 2.*newer page/],
    [scenes.embedJson(emptyPage, { bodies: [] }), /no key trammel_scene/],
    [scenes.embed(emptyPage, Buffer.from("nonsense")), /neither a bundle nor JSON/],
    [scenes.embed(emptyPage, scenes.bundle(scenes.zoo()).subarray(0, 4000)), /end too early/],
    [emptyPage.replace("<!--TRAMMEL-DATA-->", `<script id="trammel-scene" type="application/octet-stream">H4sIAAAA</script>`), /damaged/],
    [scenes.embedJson(emptyPage, { ...scenes.fourBarSweep(), joints: [{ name: "X", first: 7, second: 0 }] }), /Joint 'X' names body 7/],
    [emptyPage, /trammel view MODEL/],
  ];
  for (const [html, message] of cases) {
    const page = await openPage(browser.context, `file://${writePage(html)}`);
    await page.locator(".welcome").waitFor();
    assert.match(await page.locator(".welcome").innerText(), message);
    await done(page);
  }
});

test("a page without a scene takes a file", async () => {
  const page = await openPage(browser.context, `file://${writePage(emptyPage)}`);
  await page.locator("#file").setInputFiles({ name: "linkage.scene", mimeType: "", buffer: scenes.bundle(scenes.fourBarSweep()) });
  await ready(page);
  await assertDrawn(page, "body", "coupler", colors.coupler);
  await done(page);
});
