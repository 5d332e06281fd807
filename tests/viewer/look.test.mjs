// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What is drawn can be seen and told apart: forces inside bodies, colours, faces in one plane, names, many events, ground and water.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrowser } from "./browser.mjs";
import * as scenes from "./scenes.mjs";
import { done, emptyPage, looksLike, pixel, show, where } from "./support.mjs";

let browser;
before(async () => {
  browser = await startBrowser({ width: 900, height: 500 });
});
after(() => browser.close());

const showScene = (scene, wishes) => show(browser.context, scenes.embedJson(emptyPage, scene), wishes);
const box = (name, size, at = scenes.identity, more = {}) => ({ name, pose: at, shapes: [{ kind: "box", pose: scenes.identity, size }], ...more });
const constant = (name, unit, value) => ({ name, unit, group: "", values: [value, value], hidden: true });
const overTime = (channels, more = {}) => ({ axis: { name: "t", unit: "s", values: [0, 1] }, channels, ...more });
const still = (bodies, more = {}) => ({ trammel_scene: 1, kind: "recording", name: "still", bodies, series: overTime([]), ...more });

// Red, green and blue of the whole picture, rows from the top.
async function picture(page) {
  const { text, ...all } = await page.evaluate(() => {
    window.trammel.draw();
    const gl = window.trammel.page.world.stage.renderer.getContext();
    const { drawingBufferWidth: width, drawingBufferHeight: height } = gl;
    const bytes = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    const box = window.trammel.page.world.stage.renderer.domElement.getBoundingClientRect();
    let text = "";
    for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
    return { width, height, left: box.left, top: box.top, text: btoa(text) };
  });
  return { ...all, bytes: Buffer.from(text, "base64") };
}
const at = ({ width, height, bytes }, x, y) => {
  const i = 4 * ((height - 1 - Math.round(y)) * width + Math.round(x));
  return [...bytes.subarray(i, i + 3)];
};
const lightOf = ([r, g, b]) => 0.3 * r + 0.6 * g + 0.1 * b;

test("a force that acts inside a body is seen through it", async () => {
  const channels = [constant("fx", "N", 0), constant("fy", "N", 0), constant("fz", "N", 5)];
  const arrows = [{ name: "weight", kind: "buoyancy", unit: "N", at: { body: 0, p: [0, 0, -0.3] }, vector: [0, 1, 2] }];
  const page = await showScene(still([box("block", [1, 1, 1], scenes.identity, { color: "#d55e00" })], { series: overTime(channels, { arrows }) }));
  // In the middle of the block, where the arrow passes behind its face.
  const middle = await where(page, "body", "block");
  const plain = await pixel(page, middle);
  await page.locator("#layer-buoyancy").click();
  const seen = await pixel(page, middle);
  assert.ok(seen[2] - seen[0] > plain[2] - plain[0] + 25, `bluer than ${plain}: ${seen}`);
  await done(page);
});

// As readers with each kind of colour vision see them (Machado, Oliveira and Fernandes, 2009, severity 1), in CIELAB.
const visions = {
  all: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  "no red": [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  "no green": [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  "no blue": [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};
function labOf(hex, vision) {
  const linear = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  const row = (m, c, i) => m[3 * i] * c[0] + m[3 * i + 1] * c[1] + m[3 * i + 2] * c[2];
  const seen = [0, 1, 2].map((i) => Math.min(Math.max(row(visions[vision], linear, i), 0), 1));
  const xyz = [0.4124, 0.3576, 0.1805, 0.2126, 0.7152, 0.0722, 0.0193, 0.1192, 0.9505];
  const white = [0.95047, 1, 1.08883];
  const [x, y, z] = [0, 1, 2].map((i) => row(xyz, seen, i) / white[i]).map((t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

test("arrows of different kinds have colours that every reader can tell apart", async () => {
  const kinds = ["velocity", "acceleration", "reaction", "moment", "contact", "buoyancy", "drag", "thrust", "load", "weight"];
  const arrows = kinds.map((kind) => ({ name: kind, kind, unit: "N", at: { body: 0, p: [0, 0, 0] }, vector: [0, 0, 0] }));
  const page = await showScene(still([box("block", [1, 1, 1])], { series: overTime([constant("f", "N", 1)], { arrows }) }));
  const colors = await page.evaluate((list) => list.map((kind) => window.trammel.page.state.layer(kind).color), kinds);
  for (const vision of Object.keys(visions))
    colors.forEach((a, i) =>
      colors.slice(0, i).forEach((b, k) => {
        const [p, q] = [labOf(a, vision), labOf(b, vision)];
        const apart = Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
        assert.ok(apart > 15, `${kinds[i]} ${a} and ${kinds[k]} ${b} are ${apart.toFixed(1)} apart to readers who see ${vision}`);
      }),
    );
  await done(page);
});

test("a moment is seen along its own axis too", async () => {
  const page = await show(browser.context, scenes.embed(emptyPage, scenes.bundle(scenes.fourBarSweep())), "x=60&view=xy");
  const count = async () => {
    const all = await picture(page);
    let out = 0;
    for (let i = 0; i < all.bytes.length; i += 4) if (looksLike([...all.bytes.subarray(i, i + 3)], "#e69f00")) ++out;
    return out;
  };
  const before = await count();
  await page.locator("#layer-moment").click();
  assert.ok((await count()) - before > 300, "more than a dot");
  await done(page);
});

test("faces of two bodies in one plane do not flicker through each other", async () => {
  const plate = (name, x, color) => box(name, [1, 1, 0.1], [x, 0, 0, 1, 0, 0, 0], { color });
  const page = await showScene(still([plate("left", -0.25, "#e69f00"), plate("right", 0.25, "#0072b2")]));
  const all = await picture(page);
  const [a, b] = [await where(page, "body", "left"), await where(page, "body", "right")];
  const colors = new Set();
  for (let i = 0; i <= 40; ++i) {
    const x = a.x + ((b.x - a.x) * (0.3 + (0.4 * i) / 40)) - all.left;
    const y = a.y + ((b.y - a.y) * (0.3 + (0.4 * i) / 40)) - all.top;
    for (const down of [-6, 0, 6]) {
      const seen = at(all, x, y + down);
      colors.add(looksLike(seen, "#e69f00") ? "left" : looksLike(seen, "#0072b2") ? "right" : String(seen));
    }
  }
  assert.equal(colors.size, 1, [...colors].join("; "));
  await done(page);
});

test("of many small links the symbols do not hide the links", async () => {
  const n = 24;
  const rod = { kind: "rod", pose: [0.5, 0, 0, Math.SQRT1_2, 0, Math.SQRT1_2, 0], length: 1, radius: 0.015 };
  const bodies = Array.from({ length: n }, (_, i) => ({ name: `link ${i}`, pose: [i, 0, 0, 1, 0, 0, 0], shapes: [rod] }));
  const joints = bodies.slice(1).map((_, i) => ({ name: `J${i}`, kind: "revolute", first: i, second: i + 1, pose_first: [1, 0, 0, 1, 0, 0, 0], pose_second: scenes.identity }));
  const page = await showScene(still(bodies, { joints }));
  const widest = await page.evaluate(() => {
    const { world } = window.trammel.page;
    let out = 0;
    for (const body of world.bodies)
      for (const part of body.children) {
        if (part.userData.item?.kind !== "joint") continue;
        part.traverse((mesh) => {
          mesh.geometry?.computeBoundingSphere();
          out = Math.max(out, mesh.geometry?.boundingSphere.radius ?? 0);
        });
      }
    return out;
  });
  assert.ok(widest > 0.02 && widest < 0.25, `a joint's symbol has a radius of ${widest} on links of 1`);
  await done(page);
});

test("names do not cover each other", async () => {
  const bodies = Array.from({ length: 40 }, (_, i) => box(`a rather long name ${i}`, [0.1, 0.1, 0.1], [0.02 * i, 0.1 * (i % 3), 0.03 * (i % 5), 1, 0, 0, 0]));
  const page = await showScene(still(bodies), "show=names");
  const boxes = await page.locator(".label:visible").evaluateAll((list) => list.map((e) => e.getBoundingClientRect().toJSON()));
  assert.ok(boxes.length >= 3, `${boxes.length} names are shown`);
  boxes.forEach((a, i) =>
    boxes.slice(0, i).forEach((b) => {
      const over = Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
      assert.ok(!over, `${JSON.stringify(a)} and ${JSON.stringify(b)}`);
    }),
  );
  await done(page);
});

test("many events leave the curves to be seen, a few are lines", async () => {
  const n = 101;
  const t = Array.from({ length: n }, (_, i) => i / 10);
  const events = (count) => Array.from({ length: count }, (_, i) => ({ x: (10 * (i + 0.5)) / count, name: `touch ${i}`, kind: "contact", text: "touches" }));
  const series = (count) => ({
    axis: { name: "t", unit: "s", values: t },
    channels: [{ name: "height", unit: "m", group: "points", values: t.map((x) => Math.sin(x)) }],
    plots: [[0]],
    events: events(count),
  });
  // How many columns of the plot have the events' colour halfway up.
  const covered = async (count) => {
    const page = await showScene(still([box("block", [1, 1, 1])], { series: series(count) }), "theme=light");
    const out = await page.evaluate(() => {
      const { plot } = window.trammel.page.panels.panels[0];
      const { left, top, width, height } = plot.bbox;
      const rows = plot.ctx.getImageData(left, top + 0.3 * height, width, 0.4 * height);
      const found = new Set();
      for (let i = 0; i < rows.data.length; i += 4) {
        const [r, g, b] = rows.data.slice(i, i + 3);
        if (r - g > 40 && b - g > 15) found.add((i / 4) % rows.width); // purple
      }
      return found.size;
    });
    await done(page);
    return out;
  };
  assert.ok((await covered(3)) >= 3, "three lines");
  assert.equal(await covered(150), 0);
});

test("plots say what they are over", async () => {
  const page = await show(browser.context, scenes.embed(emptyPage, scenes.bundle(scenes.zoo())));
  assert.equal(await page.evaluate(() => window.trammel.page.panels.panels[0].plot.axes[0].label), "t in s");
  await done(page);
});

test("what stays zero is a line between −1 and 1", async () => {
  const zero = { name: "rest", unit: "m", group: "points", values: [0, 0] };
  const page = await showScene(still([box("block", [1, 1, 1])], { series: overTime([zero], { plots: [[0]] }) }));
  const scale = await page.evaluate(() => window.trammel.page.panels.panels[0].plot.scales.m);
  assert.deepEqual([scale.min, scale.max], [-1, 1]);
  await done(page);
});

test("level ground has lines, so that going over it is seen", async () => {
  const terrain = { kind: "plane", pose: scenes.identity };
  const page = await showScene(still([box("block", [1, 1, 1], [0, 0, 0.5, 1, 0, 0, 0])], { terrain }));
  const all = await picture(page);
  let steps = 0;
  for (const y of [0.75, 0.85, 0.95].map((share) => Math.round(share * all.height)))
    for (let x = 1; x < all.width; ++x) if (Math.abs(lightOf(at(all, x, y)) - lightOf(at(all, x - 1, y))) > 3) ++steps;
  assert.ok(steps >= 10, `${steps} edges on the ground`);
  assert.match(await page.locator(".legend").innerText(), /grid/);
  await done(page);
});

test("water ends without a rim, and waves are seen from above", async () => {
  const water = { surface: 0, waves: [{ amplitude: 0.15, wave_number: 2.5, omega: 1, direction: [1, 0, 0], phase: 0 }] };
  const page = await showScene(still([box("float", [0.2, 0.2, 0.2])], { water, box: [[-1, -1, -1], [1, 1, 1]] }), "view=xy&hide=grid,shadows,bodies&theme=light");
  for (let i = 0; i < 24; ++i) await page.evaluate(() => window.trammel.page.world.stage.rig.zoom(1.15));
  await page.waitForTimeout(300);
  const all = await picture(page);
  const middle = Math.round(all.height / 2);
  const row = Array.from({ length: all.width }, (_, x) => lightOf(at(all, x, middle)));
  const step = Math.max(...row.slice(1).map((v, x) => Math.abs(v - row[x])));
  assert.ok(step < 14, `a step of ${step}`);
  let turns = 0;
  const smooth = row.filter((_, x) => x % 6 === 0);
  for (let i = 2; i < smooth.length; ++i) if ((smooth[i] - smooth[i - 1]) * (smooth[i - 1] - smooth[i - 2]) < 0) ++turns;
  assert.ok(turns >= 3, `${turns} crests and troughs: ${smooth.map(Math.round)}`);
  await done(page);
});
