// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Keys: the list is what the page knows, and what its help shows.

import { h, icon } from "./dom";

export interface Key {
  keys: string[]; // as KeyboardEvent.key; "Shift+" before it where shift must be held
  shown: string;
  text: string;
  run: (event: KeyboardEvent) => void;
  onView?: boolean; // only while the view has the focus
}

export function listenToKeys(list: Key[], view: HTMLElement, until: AbortSignal): void {
  const listener = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey) return;
    const target = event.target as HTMLElement;
    const typing = target instanceof HTMLInputElement && target.type !== "checkbox";
    if (typing || target instanceof HTMLSelectElement) {
      if (event.key === "Escape") target.blur();
      return;
    }
    // Buttons, boxes and lists keep the keys that press them.
    const pressable =
      target instanceof HTMLButtonElement || target instanceof HTMLInputElement || target.tagName === "SUMMARY";
    if (pressable && (event.key === " " || event.key === "Enter")) return;
    const name =
      (event.altKey ? "Alt+" : "") +
      (event.shiftKey && event.key.length > 1 ? "Shift+" : "") +
      (event.key.length === 1 ? event.key.toLowerCase() : event.key);
    const onView = target === view;
    const found =
      list.find((key) => key.onView && onView && key.keys.includes(name)) ??
      list.find((key) => !key.onView && key.keys.includes(name));
    if (!found) return;
    event.preventDefault();
    found.run(event);
  };
  addEventListener("keydown", listener, { signal: until });
}

export function makeHelp(list: Key[]): HTMLDialogElement {
  const rows = (onView: boolean) =>
    list
      .filter((key) => Boolean(key.onView) === onView && key.shown !== "")
      .map((key) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, ...key.shown.split(" ").map((k) => h("kbd", {}, k))),
          h("td", {}, key.text),
        ),
      );
  const dialog = h("dialog", { class: "help", "aria-label": "Keys and pointer" });
  const close = h(
    "button",
    { class: "icon", type: "button", "aria-label": "Close", onclick: () => dialog.close() },
    icon("close"),
  );
  dialog.append(
    h("header", {}, h("h2", {}, "Keys and pointer"), close),
    h(
      "div",
      { class: "columns" },
      h("table", {}, h("caption", {}, "Anywhere"), h("tbody", {}, ...rows(false))),
      h(
        "div",
        {},
        h("table", {}, h("caption", {}, "While the view has the focus"), h("tbody", {}, ...rows(true))),
        h(
          "ul",
          {},
          h(
            "li",
            {},
            "Drag turns the view; with Shift or the right button it shifts it; the wheel or two fingers zoom.",
          ),
          h("li", {}, "A click on a body, joint or point tells about it."),
          h("li", {}, "Dragging in a plot moves the cursor; with Shift it zooms; a double click shows all again."),
          h("li", {}, "A scene dropped on the page becomes a ghost to compare with."),
        ),
      ),
    ),
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}
