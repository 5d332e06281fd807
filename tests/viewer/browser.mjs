// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Debian's Chromium without a screen, drawing by SwiftShader: the same pixels on every machine.

import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const viewer = new URL("../../viewer/package.json", import.meta.url);
const { chromium } = createRequire(viewer)("playwright-core");

export async function startBrowser({ width = 1280, height = 800, ...more } = {}) {
  const profile = mkdtempSync(join(tmpdir(), "trammel-viewer-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    viewport: { width, height },
    args: [
      "--headless=new",
      "--no-sandbox",
      "--enable-unsafe-swiftshader",
      "--use-angle=swiftshader",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
    ...more,
  });
  const close = async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  };
  return { context, close };
}

// A page that gathers its complaints and its requests.
export async function openPage(context, address) {
  const page = await context.newPage();
  page.complaints = [];
  page.requests = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !harmless(message.text())) page.complaints.push(message.text());
  });
  page.on("pageerror", (error) => page.complaints.push(String(error.stack ?? error)));
  page.on("request", (request) => page.requests.push(request.url()));
  await page.goto(address);
  return page;
}

// SwiftShader says of itself that it is slow, and that reading pixels back stalls it.
const harmless = (text) => /GPU stall due to ReadPixels|Automatic fallback to software WebGL|GroupMarkerNotSet/.test(text);

export const ready = (page) => page.evaluate(() => window.trammel.ready);
