// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// A recording of 100 000 samples with 40 channels: opens, shows, scrubs. How long that takes depends on the machine and is printed; what the
// page does for it is counted.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrowser } from "./browser.mjs";
import * as scenes from "./scenes.mjs";
import { assertDrawn, cursor, done, emptyPage, show } from "./support.mjs";

let browser;
before(async () => {
  browser = await startBrowser({ width: 1000, height: 600 });
});
after(() => browser.close());

test("100 000 samples of 40 channels open and scrub", async (t) => {
  const html = scenes.embed(emptyPage, scenes.large(), 1);
  const start = performance.now();
  const page = await show(browser.context, html);
  const opened = performance.now() - start;
  assert.equal(await page.evaluate(() => window.trammel.page.state.samples.count), 100000);
  await assertDrawn(page, "body", "link 1", "#e69f00");

  // Plots draw a few points for each pixel, whatever the recording has.
  const counts = await page.evaluate(() =>
    window.trammel.page.panels.panels.map((panel) => [panel.plot.data[0].length, panel.plot.over.clientWidth]),
  );
  for (const [points, pixels] of counts) assert.ok(points < 5 * pixels, `${points} points on ${pixels} pixels`);
  // No peak is lost on the way: the largest value is there.
  const [drawn, all] = await page.evaluate(() => {
    const { panels, state } = window.trammel.page;
    const most = (list) => list.reduce((a, b) => (b !== null && b > a ? b : a), -Infinity);
    return [most(panels.panels[0].plot.data[1]) / panels.panels[0].lines[0].factor, most(state.samples.values(0))];
  });
  assert.ok(Math.abs(drawn - all) < 1e-6, `${drawn} of ${all}`);

  // Scrubbing looks nothing up anew: no plot is drawn again, poses are read at two samples.
  const box = await page.locator(".u-over").first().boundingBox();
  await page.evaluate(() => {
    window.redrawn = 0;
    for (const panel of window.trammel.page.panels.panels) panel.plot.hooks.draw = [() => ++window.redrawn];
    window.long = [];
    new PerformanceObserver((list) => window.long.push(...list.getEntries().map((e) => e.duration))).observe({ type: "longtask" });
  });
  await page.mouse.move(box.x + 5, box.y + 50);
  await page.mouse.down();
  for (let i = 0; i <= 40; ++i) await page.mouse.move(box.x + 5 + (i / 40) * (box.width - 10), box.y + 50);
  await page.mouse.up();
  assert.ok((await cursor(page)) > 95);
  assert.equal(await page.evaluate(() => window.redrawn), 0);
  await assertDrawn(page, "body", "link 1", "#e69f00");
  const long = await page.evaluate(() => window.long);
  t.diagnostic(`opened in ${(opened / 1000).toFixed(1)} s; while scrubbing ${long.length} tasks over 50 ms, the longest ${Math.max(0, ...long)} ms`);
  await done(page);
});
