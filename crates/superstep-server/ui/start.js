// A conversation that begins: the first message is handed to its screen, which shows the run from its first event.

import { api } from "./api.js";

const key = (id) => `start:${id}`;

/** Makes a thread for a first message and opens it. */
export async function startWith(agent, input, text) {
  const thread = await api.newThread({ graph_id: agent.graph });
  sessionStorage.setItem(key(thread.thread_id), JSON.stringify({ request: { assistant_id: agent.id, input }, text }));
  location.hash = `#/thread/${thread.thread_id}`;
}

/** Takes the first message of a thread. It is gone before the run begins: a page that is loaded again does not start it twice. */
export function takeStart(id) {
  const kept = sessionStorage.getItem(key(id));
  sessionStorage.removeItem(key(id));
  return kept === null ? null : JSON.parse(kept);
}
