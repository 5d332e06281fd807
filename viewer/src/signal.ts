// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// A value that others are told of when it changes: all that the page needs of a framework.

export class Signal<T> {
  private listeners = new Set<(value: T) => void>();

  constructor(private current: T) {}

  get value(): T {
    return this.current;
  }
  set value(next: T) {
    if (Object.is(next, this.current)) return;
    this.current = next;
    for (const listener of this.listeners) listener(next);
  }
  // Calls the listener now, and at each change; what it gives back ends that.
  watch(listener: (value: T) => void): () => void {
    listener(this.current);
    return this.onChange(listener);
  }
  onChange(listener: (value: T) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
