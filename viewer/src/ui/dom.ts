// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Elements in one call each.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

// h("button", {class: "tool", "aria-label": "Play", onclick: play}, icon("play"))
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value as (event: Event) => void);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(
    ...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false),
  );
  return element;
}

const icons: Record<string, string> = {
  play: "M7 5v14l12-7z",
  pause: "M7 5h3.6v14H7zM13.4 5H17v14h-3.6z",
  back: "M18 6v12l-8.5-6zM6 6h2.5v12H6z",
  forward: "M6 6v12l8.5-6zM15.5 6H18v12h-2.5z",
  first: "M19 6v12l-6.5-6zM12.5 6v12L6 12zM4 6h2v12H4z",
  restart: "M12 5a7 7 0 1 1-6.7 5h2.2A5 5 0 1 0 12 7v3L7.5 6 12 2z",
  loop: "M7 7h9V4l4.5 4.5L16 13v-3H9v3H7zM17 17H8v3l-4.5-4.5L8 11v3h7v-3h2z",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM11 2h2v3h-2zM11 19h2v3h-2zM2 11h3v2H2zM19 11h3v2h-3zM4.2 5.6l1.4-1.4 2.1 2.1-1.4 1.4zM16.3 17.7l1.4-1.4 2.1 2.1-1.4 1.4zM4.2 18.4l2.1-2.1 1.4 1.4-2.1 2.1zM16.3 6.3l2.1-2.1 1.4 1.4-2.1 2.1z",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.500 10.500z",
  fit: "M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z",
  follow: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 2a7 7 0 1 1 0 14 7 7 0 0 1 0-14zm0 4a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
  export: "M11 3h2v9l3.500-3.500 1.400 1.400L12 16l-5.900-6.100 1.400-1.400L11 12zM4 18h16v2H4z",
  help: "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zm-1 14h2v2h-2zm1-10a4 4 0 0 1 4 4c0 2-3 2.500-3 5h-2c0-3.500 3-3.500 3-5a2 2 0 0 0-4 0H8a4 4 0 0 1 4-4z",
  close:
    "M6.400 5 12 10.600 17.600 5 19 6.400 13.400 12 19 17.600 17.600 19 12 13.400 6.400 19 5 17.600 10.600 12 5 6.400z",
  plus: "M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z",
  minus: "M5 11h14v2H5z",
  warning: "M12 3 1.800 21h20.400zM11 10h2v5h-2zm0 6.500h2v2h-2z",
  layers: "M12 3 2 8.500l10 5.500 10-5.500zM4.200 12 2 13.200l10 5.500 10-5.500-2.200-1.200L12 16.300z",
  plot: "M4 4h2v14h14v2H4zM8 14l4-5 3 3 4-6 1.600 1.100L15.300 15l-3-3L9.500 15.200z",
  list: "M4 6h2v2H4zM8 6h12v2H8zM4 11h2v2H4zM8 11h12v2H8zM4 16h2v2H4zM8 16h12v2H8z",
  sliders: "M4 7h8v2H4zM16 7h4v2h-4zM12 5h3v6h-3zM4 15h3v2H4zM11 15h9v2h-9zM7 13h3v6H7z",
  live: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z",
};

export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", icons[name] ?? "");
  path.setAttribute("fill-rule", "evenodd");
  svg.append(path);
  return svg;
}

// A button with an icon: its name is read out, and shown with its key when the pointer rests on it.
export function tool(name: string, label: string, key: string, action: () => void, text?: string): HTMLButtonElement {
  const title = key === "" ? label : `${label} (${key})`;
  const button = h(
    "button",
    { class: "tool", type: "button", "aria-label": label, title, onclick: action },
    icon(name),
  );
  if (text !== undefined) button.append(h("span", {}, text));
  return button;
}

// A button that is on or off.
export function setPressed(button: HTMLElement, on: boolean): void {
  button.setAttribute("aria-pressed", String(on));
}

export function saveFile(name: string, content: Blob): void {
  const link = h("a", { href: URL.createObjectURL(content), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
