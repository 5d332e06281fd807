// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What tests of the page have in common: scenes as files, pixels of the picture.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPage, ready } from "./browser.mjs";

export const emptyPage = readFileSync(new URL("../../viewer/dist/index.html", import.meta.url), "utf8");
const folder = mkdtempSync(join(tmpdir(), "trammel-pages-"));

let files = 0;
export function writePage(html) {
  const path = join(folder, `page${++files}.html`);
  writeFileSync(path, html);
  return path;
}

// Opens a page and waits until it shows its scene.
export async function show(context, html, wishes = "") {
  const page = await openPage(context, `file://${writePage(html)}${wishes ? `#${wishes}` : ""}`);
  await ready(page);
  await page.evaluate(() => window.trammel.draw());
  return page;
}

// Another size of the window; waits until the picture has it.
export async function resize(page, width, height) {
  await page.setViewportSize({ width, height });
  await page.waitForFunction((w) => {
    const { stage } = window.trammel.page.world;
    return innerWidth === w && stage.renderer.domElement.clientHeight === stage.host.clientHeight;
  }, width);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

export async function done(page) {
  assert.deepEqual(page.complaints, [], "the page complained");
  await page.close();
}

// Red, green, blue of the picture at a place of the page, in CSS pixels, drawn for this.
export function pixel(page, { x, y }) {
  return page.evaluate(
    ([x, y]) => {
      window.trammel.draw();
      const { stage } = window.trammel.page.world;
      const gl = stage.renderer.getContext();
      const box = stage.renderer.domElement.getBoundingClientRect();
      const scale = stage.renderer.getPixelRatio();
      const out = new Uint8Array(4);
      gl.readPixels(Math.round((x - box.left) * scale), Math.round((box.bottom - y) * scale), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, out);
      return [...out.slice(0, 3)];
    },
    [x, y],
  );
}

// A number for the whole picture: another when anything in it changed.
export function pictureHash(page) {
  return page.evaluate(() => {
    window.trammel.draw();
    const gl = window.trammel.page.world.stage.renderer.getContext();
    const { drawingBufferWidth: w, drawingBufferHeight: h } = gl;
    const out = new Uint8Array(4 * w * h);
    gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, out);
    let hash = 0;
    for (let i = 0; i < out.length; ++i) hash = (Math.imul(hash, 31) + out[i]) | 0;
    return hash;
  });
}

export const where = (page, kind, name) => page.evaluate(([k, n]) => window.trammel.where(k, n), [kind, name]);
// Waits until the eye has arrived where it flies to.
export const arrived = (page) => page.waitForFunction(() => !window.trammel.page.world.stage.rig.update());
export const cursor = (page) => page.evaluate(() => window.trammel.page.state.cursor.value);

// Light makes a colour lighter or darker and whiter, but keeps which of red, green and blue it has most of.
export function looksLike(rgb, hex) {
  const want = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  const spread = (c) => c.map((v) => v - (c[0] + c[1] + c[2]) / 3);
  const [a, b] = [spread(rgb), spread(want)];
  const size = (v) => Math.hypot(...v);
  return size(a) > 20 && (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / (size(a) * size(b)) > 0.95;
}
export async function assertDrawn(page, kind, name, hex) {
  await arrived(page);
  const at = await where(page, kind, name);
  const rgb = await pixel(page, at);
  assert.ok(looksLike(rgb, hex), `${kind} ${name} at ${JSON.stringify(at)} should look like ${hex}, is ${rgb}`);
}
