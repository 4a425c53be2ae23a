// One thread: its open questions, what it says, its steps, its graph, its runs. A run that was asked for on another screen starts here.

import { api } from "./api.js";
import { chat, hasChat } from "./chat.js";
import { h, say, show, dialog } from "./dom.js";
import { draw } from "./graph.js";
import { questions } from "./inbox.js";
import { tree } from "./json.js";
import { bind } from "./keys.js";
import { graphOf, status, titleOf } from "./record.js";
import { steps } from "./steps.js";
import { ago } from "./time.js";
import { trace } from "./trace.js";

const EVERY = 2000;
const MODES = ["values", "updates", "messages-tuple", "custom"];

export async function thread(main, [id, tab]) {
  let record = await api.thread(id);
  let nodes = {};
  let live = null;
  const graph = await graphFor(record);
  const abort = new AbortController();

  const head = h("div");
  const open = h("div");
  const body = h("div", { class: "panel" });
  const names = { chat: "Conversation", steps: "Steps", state: "State", graph: "Graph", trace: "Trace" };
  const address = (name) => `#/thread/${encodeURIComponent(id)}/${name}`;
  const at = names[tab] ? tab : hasChat(record.values) ? "chat" : "steps";
  const tabs = h(
    "nav",
    { class: "tabs", "aria-label": "Views of the thread" },
    Object.entries(names).map(([name, text]) => h("a", { href: address(name), "aria-current": name === at ? "page" : null }, text)),
  );
  show(main, head, open, tabs, body);

  const assistant = () => record.metadata?.assistant_id ?? record.metadata?.graph_id;

  const follow = async (request) => {
    live = { text: "", custom: [] };
    nodes = {};
    await refresh(true);
    try {
      await api.stream(id, { stream_mode: MODES, if_not_exists: "create", ...request }, (name, data) => {
        const mode = name.split("|")[0];
        if (mode === "updates") for (const node of Object.keys(data ?? {})) if (node !== "__interrupt__") nodes[node] = "done";
        if (mode === "messages" && Array.isArray(data)) live.text += typeof data[0]?.content === "string" ? data[0].content : "";
        if (mode === "values") {
          live.text = "";
          record = { ...record, values: data, status: "busy" };
        }
        if (mode === "error") say(`${data?.error ?? "Error"}: ${data?.message ?? ""}`, "error");
        panel();
      }, abort.signal);
    } catch (error) {
      if (error.name === "AbortError") return;
      say(error.message, "error");
    }
    live = null;
    await refresh(true);
  };

  const views = {
    chat: () => chat(record, live, assistant() && record.status !== "busy" && live === null ? (input) => follow({ assistant_id: assistant(), input }) : null),
    steps: () => steps(record, { refresh: () => refresh(true), run: (request) => follow({ assistant_id: assistant(), ...request }) }),
    state: () => (record.values === null || record.values === undefined ? h("p", { class: "quiet" }, "No state yet.") : tree(record.values, 2)),
    graph: async () => (graph === null ? h("p", { class: "quiet" }, "The graph of this thread is not hosted here.") : draw(graph, { ...(await standing(id)), ...nodes })),
    trace: () => trace(id),
  };
  let drawn = "";
  const panel = async (force = false) => {
    const key = JSON.stringify([record.updated_at, record.status, live, at === "graph" ? nodes : 0]);
    if (!force && key === drawn) return;
    drawn = key;
    const mine = key;
    const shown = await views[at]();
    if (mine === drawn) show(body, shown);
  };
  const refresh = async (force = false) => {
    record = await api.thread(id);
    show(head, heading());
    show(open, record.status === "busy" ? null : questions(record, (command) => follow({ assistant_id: assistant(), command }), () => refresh(true)));
    await panel(force);
  };
  const heading = () => [
    h("h1", null, titleOf(record)),
    h(
      "p",
      { class: "row quiet" },
      status(live === null ? record.status : "busy"),
      h("span", null, graphOf(record)),
      h("span", null, "changed ", ago(record.updated_at)),
      titleOf(record) !== id && h("code", null, id),
      record.status === "busy" && h("button", { type: "button", onclick: stop }, "Stop the run"),
      record.status === "error" && assistant() && h("button", { type: "button", onclick: () => follow({ assistant_id: assistant(), input: null }) }, "Go on from the last step"),
      h("button", { type: "button", onclick: copy }, "Copy"),
      h("button", { type: "button", class: "danger", onclick: remove }, "Delete"),
    ),
    record.error && h("p", { class: "error" }, typeof record.error === "string" ? record.error : (record.error.message ?? JSON.stringify(record.error))),
  ];
  const stop = async () => {
    const runs = await api.runs(id);
    const running = runs.filter((run) => run.status === "running" || run.status === "pending");
    if (running.length === 0) say("No run is going on.");
    for (const run of running) await api.cancel(id, run.run_id);
    await refresh(true);
  };
  const copy = async () => {
    const made = await api.copyThread(id);
    say("Copied.");
    location.hash = `#/thread/${encodeURIComponent(made.thread_id)}`;
  };
  const remove = async () => {
    const sure = await dialog("Delete this thread?", h("p", null, "It goes with all its steps. This cannot be undone."), [
      { label: "Keep it", value: "" },
      { label: "Delete", value: "yes", kind: "danger" },
    ]);
    if (sure !== "yes") return;
    await api.deleteThread(id);
    location.hash = "#/threads";
  };

  await refresh(true);
  const key = `start:${id}`;
  const start = sessionStorage.getItem(key);
  if (start !== null) {
    // Taken before the run begins: a page that is loaded again must not start it twice.
    sessionStorage.removeItem(key);
    follow(JSON.parse(start));
  }
  const timer = setInterval(() => {
    if (!document.hidden && live === null && document.activeElement?.tagName !== "TEXTAREA") quiet();
  }, EVERY);
  const quiet = async () => {
    try {
      const now = await api.thread(id);
      if (now.updated_at !== record.updated_at || now.status !== record.status) await refresh();
    } catch (error) {
      show(head, h("p", { class: "error" }, error.message));
    }
  };
  const unbind = bind(Object.keys(names).map((name, index) => [String(index + 1), names[name], () => (location.hash = address(name))]));
  return () => {
    clearInterval(timer);
    abort.abort();
    unbind();
  };
}

async function graphFor(record) {
  const assistant = record.metadata?.assistant_id ?? record.metadata?.graph_id;
  if (!assistant) return null;
  try {
    return await api.graph(assistant);
  } catch {
    return null;
  }
}

/** The nodes that wait or failed, from the tasks of the state as it is now. */
async function standing(id) {
  const { tasks } = await api.state(id);
  const states = (tasks ?? []).map((task) => [task.name, task.error ? "failed" : (task.interrupts ?? []).length > 0 ? "waiting" : null]);
  return Object.fromEntries(states.filter(([, state]) => state !== null));
}
