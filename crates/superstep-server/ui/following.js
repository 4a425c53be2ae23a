// A run and its events, through lost connections: a stream that breaks is joined again after the last event that came.

import { api, ApiError } from "./api.js";

const PAUSES = [500, 1000, 2000, 4000, 8000];

const pause = (time, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, time);
    signal.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
  });

/**
 * Follows a run to its end; resolves with the error that it ended with, or null. `begin(onevent)` starts it, and `run` is its id
 * if it goes on already. `onlost(isLost)` tells whether the connection is lost.
 */
export async function follow({ thread, begin = null, run = null, onevent, onlost, signal }) {
  let known = run;
  let last = "-1";
  let failed = null;
  const take = (name, data, id) => {
    if (id !== null) last = id;
    if (name === "metadata") known = data?.run_id ?? known;
    if (name === "error") failed = data?.message ?? data?.error ?? "The run failed.";
    onevent(name, data);
  };
  for (let attempt = begin === null ? 0 : -1; ; attempt++) {
    try {
      if (attempt === -1) await begin(take);
      else await api.join(thread, known, last, take, signal);
      onlost(false);
      if (failed !== null || known === null) return failed;
      const { status } = await api.run(thread, known);
      if (status !== "running" && status !== "pending") return failed;
    } catch (error) {
      if (error.name === "AbortError") throw error;
      // A refusal says why. Whatever else happens once the run is known is the connection.
      if (known === null || (error instanceof ApiError && error.status !== 0)) {
        if (error instanceof ApiError && error.status === 404 && known !== null) return failed;
        throw error;
      }
      onlost(true);
    }
    await pause(PAUSES[Math.min(Math.max(attempt, 0), PAUSES.length - 1)], signal);
  }
}
