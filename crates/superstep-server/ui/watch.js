// Changes of threads as the server reports them. A server without `/events` is asked every few seconds instead.

import { api, ApiError } from "./api.js";

const EVERY = 3000;
const listeners = new Set();
const RETRY = 2000;

/** Calls `listener(thread)` when a thread changed, with null if it may be any; gives a function that ends this. */
export function onchange(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(thread) {
  for (const listener of listeners) Promise.resolve(listener(thread)).catch(() => undefined);
}

/** Begins to watch; called once. */
export async function watch() {
  let last = null;
  for (;;) {
    try {
      await api.changes(last, (name, data, id) => {
        last = id ?? last;
        tell(name === "reset" ? null : (data?.thread_id ?? null));
      });
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return poll();
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY));
    tell(null);
  }
}

function poll() {
  setInterval(() => document.hidden || tell(null), EVERY);
  document.addEventListener("visibilitychange", () => document.hidden || tell(null));
}
