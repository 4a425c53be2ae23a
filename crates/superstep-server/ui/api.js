// Calls of the server: the same paths that every client of the API uses.

import { confirmed } from "./dom.js";
import { events } from "./sse.js";

let token = sessionStorage.getItem("token") ?? "";
/** @type {(error: ApiError) => Promise<string | null>} */
let askToken = async () => null;
let asking = null;

/** Registers the dialog that asks for a token. */
export function onTokenNeeded(ask) {
  askToken = ask;
}

/** An error as the server reports it. Status 0 means that it does not answer. */
export class ApiError extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

function headers(body) {
  const all = {};
  if (body !== undefined) all["content-type"] = "application/json";
  if (token !== "") all["x-api-key"] = token;
  return all;
}

async function failure(response) {
  const text = await response.text();
  try {
    const reply = JSON.parse(text);
    const detail = reply.unclear ?? reply.detail ?? text;
    return new ApiError(response.status, typeof detail === "string" ? detail : JSON.stringify(detail));
  } catch {
    return new ApiError(response.status, text || `The server answered with status ${response.status}.`);
  }
}

/** Tells the shell whether the server answers. */
const connection = (isUp) => document.dispatchEvent(new CustomEvent("connection", { detail: isUp }));

/** Keeps a new token for this tab; calls that fail at the same time share one dialog. */
async function renewed(error) {
  asking ??= askToken(error).finally(() => (asking = null));
  const given = await asking;
  if (given === null) return false;
  token = given;
  sessionStorage.setItem("token", given);
  return true;
}

/**
 * @param {string} method
 * @param {string} path
 * @param {any} [body]
 * @param {{signal?: AbortSignal, more?: Record<string, string>, raw?: BodyInit}} [options]
 * @returns {Promise<Response>}
 */
async function request(method, path, body, { signal, more = {}, raw } = {}) {
  let response;
  try {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    response = await fetch(path, { method, signal, headers: { ...headers(body), ...more }, body: payload });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    connection(false);
    throw new ApiError(0, "The server does not answer. Check that `superstep serve` is running.");
  }
  connection(true);
  if (response.ok) return response;
  const error = await failure(response);
  if (response.status === 401 && (await renewed(error))) return request(method, path, body, { signal, more, raw });
  // Effects since an earlier step are repeated only after a confirmation.
  const repeats = response.status === 409 && error.message.includes("repeat_effects") && !body?.repeat_effects;
  if (!repeats || !(await confirmed("Repeat what happened since?", error.message, "Do it again"))) throw error;
  return request(method, path, { ...body, repeat_effects: true }, { signal, more });
}

async function json(method, path, body, signal) {
  const response = await request(method, path, body, { signal });
  if (response.status === 204) return null;
  const text = await response.text();
  return text.trim() === "" ? null : JSON.parse(text);
}

const at = (id) => encodeURIComponent(id);
const of = (thread) => `/threads/${at(thread)}`;

/** Events of a run that the page shows. */
const MODES = ["updates", "messages-tuple", "tasks", "progress"];

export const api = {
  me: () => json("GET", "/me"),
  assistants: () => json("POST", "/assistants/search", { limit: 1000 }),
  schemas: (assistant) => json("GET", `/assistants/${at(assistant)}/schemas`),
  graph: (assistant) => json("GET", `/assistants/${at(assistant)}/graph?xray=true`),

  threads: (query, signal) => json("POST", "/threads/search", query, signal),
  countThreads: (query) => json("POST", "/threads/count", query),
  thread: (id) => json("GET", of(id)),
  view: (id) => json("GET", `${of(id)}/view`),
  /** The text of a document that a thread read, or of a page that it wrote. */
  text: async (id, name) => (await request("GET", `${of(id)}/text?name=${at(name)}`)).text(),
  answer: (id, question, text) => json("POST", `${of(id)}/answer`, { question, text }),
  newThread: (metadata) => json("POST", "/threads", { metadata }),
  rename: (id, title) => json("PATCH", of(id), { metadata: { title } }),
  deleteThread: (id) => json("DELETE", of(id)),
  copyThread: (id) => json("POST", `${of(id)}/copy`, {}),
  state: (id) => json("GET", `${of(id)}/state?subgraphs=true`),
  history: (id, limit, before) => json("POST", `${of(id)}/history`, { limit, before }),
  updateState: (id, update) => json("POST", `${of(id)}/state`, update),
  runs: (id) => json("GET", `${of(id)}/runs?limit=20`),
  run: (id, run) => json("GET", `${of(id)}/runs/${at(run)}`),
  startRun: (id, run) => json("POST", `${of(id)}/runs`, run),
  /** Cancels a run that has not begun; one that has is left alone, and the call fails with 404. */
  cancelPending: (id, run) => json("POST", "/runs/cancel", { thread_id: id, run_ids: [run], status: "pending" }),
  cancel: (id, run) => json("POST", `${of(id)}/runs/${at(run)}/cancel?wait=1`, {}),
  trace: (id) => json("GET", `${of(id)}/trace`),
  branches: (id) => json("GET", `${of(id)}/branches`),
  compare: (id, a, b) => json("GET", `${of(id)}/compare?a=${at(a)}&b=${at(b)}`),
  findRuns: (query) => json("POST", "/runs/search", query),

  /** Stores a file for runs. */
  upload: async (file) => (await request("POST", `/files?name=${at(file.name)}`, undefined, { raw: file })).json(),
  /** The bytes of a file by their hash. */
  download: async (hash) => (await request("GET", `/files/${at(hash)}`)).blob(),

  settings: () => json("GET", "/settings"),
  setModel: (name) => json("PUT", "/settings/model", { name }),
  setKey: (provider, key) => json("PUT", `/settings/keys/${at(provider)}`, { key }),
  removeKey: (provider) => json("DELETE", `/settings/keys/${at(provider)}`),
  pull: (name) => json("POST", "/settings/download", { name }),
  restart: () => json("POST", "/settings/restart", {}),

  crons: () => json("POST", "/runs/crons/search", { limit: 1000, sort_by: "next_run_date", sort_order: "asc" }),
  newCron: (cron) => json("POST", "/runs/crons", cron),
  changeCron: (id, change) => json("PATCH", `/runs/crons/${at(id)}`, change),
  deleteCron: (id) => json("DELETE", `/runs/crons/${at(id)}`),

  namespaces: (prefix) => json("POST", "/store/namespaces", { prefix, limit: 500 }),
  items: (query) => json("POST", "/store/items/search", query),
  putItem: (item) => json("PUT", "/store/items", item),
  deleteItem: (item) => json("DELETE", "/store/items", item),

  /**
   * Starts a run and passes each event to `onevent(name, data, id)` until the run ends. `onaccepted()` is called once the
   * server has it.
   * @param {{signal?: AbortSignal, onaccepted?: (() => void) | null}} [options]
   */
  async stream(thread, run, onevent, options = {}) {
    const { signal, onaccepted } = options;
    const body = { stream_mode: MODES, stream_resumable: true, if_not_exists: "create", ...run };
    const response = await request("POST", `${of(thread)}/runs/stream`, body, { signal });
    onaccepted?.();
    await events(response, onevent);
  },
  /** Reads along with a run, from the event after `last`; "-1" replays all. */
  async join(thread, run, last, onevent, signal) {
    const modes = MODES.map((mode) => `stream_mode=${mode}`).join("&");
    const more = { "last-event-id": last };
    await events(await request("GET", `${of(thread)}/runs/${at(run)}/stream?${modes}`, undefined, { signal, more }), onevent);
  },
  /** Reads the changes of all threads. */
  async changes(last, onevent, signal) {
    const more = last === null ? {} : { "last-event-id": last };
    await events(await request("GET", "/events", undefined, { signal, more }), onevent);
  },
};
