// Calls of the server: the same paths that every client of the API uses.

let token = sessionStorage.getItem("token") ?? "";

/** Keeps a token for this tab only. */
export function useToken(value) {
  token = value;
  sessionStorage.setItem("token", value);
}

/** What went wrong, as the server said it. */
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
  let detail = text;
  try {
    const parsed = JSON.parse(text).detail ?? text;
    detail = typeof parsed === "string" ? parsed : JSON.stringify(parsed);
  } catch {
    // Not JSON: the text is what there is to show.
  }
  return new ApiError(response.status, detail || `The server answered with ${response.status}.`);
}

async function send(method, path, body, signal) {
  let response;
  try {
    response = await fetch(path, {
      method,
      signal,
      headers: headers(body),
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, "The server does not answer. Is it still running?");
  }
  if (response.ok) return response;
  const error = await failure(response);
  // What was done since a step is done a second time only if the person means it.
  const isBack = response.status === 409 && error.message.includes("repeat_effects");
  if (!isBack || body?.repeat_effects || !confirm(`${error.message}\n\nDo it again?`)) throw error;
  return send(method, path, { ...body, repeat_effects: true }, signal);
}

async function json(method, path, body, signal) {
  const response = await send(method, path, body, signal);
  if (response.status === 204) return null;
  const text = await response.text();
  return text.trim() === "" ? null : JSON.parse(text);
}

const at = (id) => encodeURIComponent(id);

export const api = {
  assistants: () => json("POST", "/assistants/search", { limit: 1000 }),
  schemas: (assistant) => json("GET", `/assistants/${at(assistant)}/schemas`),
  graph: (assistant) => json("GET", `/assistants/${at(assistant)}/graph?xray=true`),

  threads: (query, signal) => json("POST", "/threads/search", query, signal),
  countThreads: (query) => json("POST", "/threads/count", query),
  thread: (id) => json("GET", `/threads/${at(id)}`),
  newThread: (metadata) => json("POST", "/threads", { metadata }),
  deleteThread: (id) => json("DELETE", `/threads/${at(id)}`),
  copyThread: (id) => json("POST", `/threads/${at(id)}/copy`, {}),
  state: (id) => json("GET", `/threads/${at(id)}/state?subgraphs=true`),
  history: (id, limit, before) => json("POST", `/threads/${at(id)}/history`, { limit, before }),
  updateState: (id, update) => json("POST", `/threads/${at(id)}/state`, update),
  runs: (id) => json("GET", `/threads/${at(id)}/runs?limit=100`),
  run: (id, run) => json("GET", `/threads/${at(id)}/runs/${at(run)}`),
  startRun: (id, request) => json("POST", `/threads/${at(id)}/runs`, request),
  /** Cancels a run that has not begun; one that has is left alone, and the call fails with 404. */
  cancelPending: (id, run) => json("POST", "/runs/cancel", { thread_id: id, run_ids: [run], status: "pending" }),
  cancel: (id, run) => json("POST", `/threads/${at(id)}/runs/${at(run)}/cancel?wait=1`, {}),
  trace: (id) => json("GET", `/threads/${at(id)}/trace`),

  /** Keeps a file for runs. */
  async upload(file) {
    const response = await fetch(`/files?name=${at(file.name)}`, { method: "POST", headers: headers(), body: file });
    if (!response.ok) throw await failure(response);
    return response.json();
  },
  /** Whether the server keeps files. */
  async keepsFiles() {
    const response = await fetch("/files/search", { method: "POST", headers: headers({}), body: "{}" });
    return response.ok;
  },
  /** The bytes of a file, by the hash of them. */
  async download(hash) {
    const response = await fetch(`/files/${at(hash)}`, { headers: headers() });
    if (!response.ok) throw await failure(response);
    return response.blob();
  },

  namespaces: (prefix) => json("POST", "/store/namespaces", { prefix, limit: 500 }),
  items: (query) => json("POST", "/store/items/search", query),
  putItem: (item) => json("PUT", "/store/items", item),
  deleteItem: (item) => json("DELETE", "/store/items", item),

  /** Starts a run and passes each event to `onevent(name, data)` until the run ends. `onaccepted()` says that the server has it. */
  async stream(thread, request, onevent, { signal, onaccepted } = {}) {
    const response = await send("POST", `/threads/${at(thread)}/runs/stream`, request, signal);
    onaccepted?.();
    await events(response, onevent);
  },
};

/** Reads server-sent events of a response; a name without data is passed on with null. */
async function events(response, onevent) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    buffer += value.replaceAll("\r\n", "\n");
    for (let end = buffer.indexOf("\n\n"); end >= 0; end = buffer.indexOf("\n\n")) {
      const block = buffer.slice(0, end);
      buffer = buffer.slice(end + 2);
      let name = "message";
      const data = [];
      for (const line of block.split("\n")) {
        if (line.startsWith("event:")) name = line.slice(6).trim();
        else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
      }
      if (data.length > 0 || name !== "message") onevent(name, data.length > 0 ? JSON.parse(data.join("\n")) : null);
    }
  }
}
