// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Colours that readers with any colour vision can tell apart (Okabe and Ito, 2008), and what is drawn in which.

import type { ArrowKind } from "./scene/types";

const bodies = ["#e69f00", "#56b4e9", "#009e73", "#d55e00", "#0072b2", "#cc79a7", "#f0e442", "#8c8c8c"];
export const bodyColor = (index: number): string => bodies[index % bodies.length];

// Of lines in plots and trails: dark enough on white, light enough on black.
const linesOnLight = ["#0072b2", "#d55e00", "#007a5a", "#b3568c", "#9a6a00", "#2f8fc4", "#5a5a5a", "#857a00"];
const linesOnDark = ["#56b4e9", "#e69f00", "#2cc79a", "#e3a1c6", "#f0e442", "#ff8a4c", "#b9c0c7", "#7aa7ff"];
export const lineColor = (index: number, dark: boolean): string => {
  const list = dark ? linesOnDark : linesOnLight;
  return list[index % list.length];
};

// Any two of them can be told apart with every kind of colour vision.
export const arrowColor: Record<ArrowKind, string> = {
  velocity: "#009e73",
  acceleration: "#cc79a7",
  reaction: "#d55e00",
  moment: "#e69f00",
  contact: "#9933ff",
  buoyancy: "#56b4e9",
  drag: "#0072b2",
  thrust: "#f0e442",
  load: "#cc0033",
  weight: "#5f5f5f",
};

export interface Theme {
  background: string;
  backgroundLow: string;
  floor: string;
  gridMinor: string;
  gridMajor: string;
  ink: string;
  metal: string;
  ghost: string;
  terrain: string;
  water: string;
}
export const themes: Record<"light" | "dark", Theme> = {
  light: {
    background: "#fdfdfe",
    backgroundLow: "#e3e9f0",
    floor: "#ffffff",
    gridMinor: "#e2e8ee",
    gridMajor: "#c9d3de",
    ink: "#1c2530",
    metal: "#59636f",
    ghost: "#6b7785",
    terrain: "#c9bfa9",
    water: "#4f9fcf",
  },
  dark: {
    background: "#1a212b",
    backgroundLow: "#0d1117",
    floor: "#1b222c",
    gridMinor: "#252e39",
    gridMajor: "#364252",
    ink: "#e8eef5",
    metal: "#9aa7b6",
    ghost: "#a9b6c6",
    terrain: "#6b6355",
    water: "#2c6d99",
  },
};
export const themeOf = (dark: boolean): Theme => themes[dark ? "dark" : "light"];
