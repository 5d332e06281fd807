// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Numbers for people.

const minus = "\u2212";

// With so many significant digits, without trailing zeros that say nothing: 0.0123, 1.5e−9, 12300.
export function formatNumber(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  let text: string;
  if (size >= 1e6 || size < 1e-3) {
    text = value.toExponential(Math.max(digits - 2, 1)).replace(/\.?0+e/, "e");
  } else {
    text = value.toPrecision(digits);
    if (text.includes("e")) text = String(Math.round(value));
    if (text.includes(".")) text = text.replace(/\.?0+$/, "");
  }
  return text.replaceAll("-", minus).replace("e+", "e");
}

export const unitText = (unit: string): string =>
  unit === "1" ? "" : unit.replace("^2", "²").replace("^3", "³").replace("deg", "°").replaceAll(" ", "\u2009");

export function formatWithUnit(value: number, unit: string, digits = 4): string {
  const text = unitText(unit);
  return text === "" || !Number.isFinite(value)
    ? formatNumber(value, digits)
    : `${formatNumber(value, digits)}${text.startsWith("°") ? "" : "\u2009"}${text}`;
}

// As many decimals as steps of this size need, so that a running clock does not jump about.
export function formatAt(value: number, step: number): string {
  if (!Number.isFinite(value)) return "–";
  const decimals = Math.min(Math.max(Math.ceil(-Math.log10(step || 1) - 1e-9), 0), 6);
  return value.toFixed(decimals).replace("-", minus);
}

// 1, 2 or 5 times a power of ten, at or below the given size.
export function roundStep(size: number): number {
  const power = 10 ** Math.floor(Math.log10(size));
  const lead = size / power;
  return (lead >= 5 ? 5 : lead >= 2 ? 2 : 1) * power;
}

// How numbers of a unit are shown: angles may be read in degrees.
export interface Shown {
  unit: string;
  factor: number;
}
export function shownAs(unit: string, degrees: boolean): Shown {
  if (degrees && /^rad(\/|$)/.test(unit)) return { unit: unit.replace("rad", "deg"), factor: 180 / Math.PI };
  return { unit, factor: 1 };
}
