// Changes of threads as the server reports them. A hidden tab does not listen: browsers allow few connections to one server.

import { api } from "./api.js";

const RETRY = 2000;
/** Runs of other processes, such as the command line, are not reported. */
const LOOK = 20_000;
const listeners = new Set();

/** Calls `listener(thread)` when a thread changed, with null if it may be any; gives a function that ends this. */
export function onchange(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(thread) {
  for (const listener of listeners) Promise.resolve(listener(thread)).catch(() => undefined);
}

const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

const shown = () =>
  new Promise((resolve) => {
    if (!document.hidden) return resolve(null);
    document.addEventListener("visibilitychange", resolve, { once: true });
  });

/** Begins to watch; called once. */
export async function watch() {
  let last = null;
  setInterval(() => document.hidden || tell(null), LOOK);
  for (;;) {
    await shown();
    const abort = new AbortController();
    const hide = () => document.hidden && abort.abort();
    document.addEventListener("visibilitychange", hide);
    const take = (name, data, id) => {
      last = id ?? last;
      tell(name === "reset" ? null : (data?.thread_id ?? null));
    };
    try {
      await api.changes(last, take, abort.signal);
    } catch {
      // The calls of the screens say that the server is away.
    }
    document.removeEventListener("visibilitychange", hide);
    if (document.hidden) continue;
    await pause(RETRY);
    tell(null);
  }
}
