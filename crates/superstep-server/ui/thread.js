// One thread: its open questions, what it says, its steps, its graph, its runs. A run that was asked for on another screen starts here.

import { api } from "./api.js";
import { question } from "./asking.js";
import { chat, composer, hasChat } from "./chat.js";
import { h, say, show, dialog } from "./dom.js";
import { dropDraft } from "./drafts.js";
import { draw } from "./graph.js";
import { tree } from "./json.js";
import { bind } from "./keys.js";
import { keyOf } from "./inbox.js";
import { asks, graphOf, status, titleOf } from "./record.js";
import { steps } from "./steps.js";
import { ago } from "./time.js";
import { trace } from "./trace.js";
import { CHANGED, hold } from "./undo.js";

const EVERY = 2000;
const MODES = ["values", "updates", "messages-tuple", "custom"];

export async function thread(main, [id, tab]) {
  let record = await api.thread(id);
  let nodes = {};
  let live = null;
  const [graph, followUp] = await Promise.all([graphFor(record), followUpOf(record)]);
  const abort = new AbortController();

  const head = h("div");
  const open = h("section", { class: "questions", "aria-label": "Open questions", hidden: true }, h("h2", null, ""));
  const body = h("div", { class: "panel" });
  const names = { chat: "Conversation", steps: "Steps", state: "State", graph: "Graph", trace: "Trace" };
  const address = (name) => `#/thread/${encodeURIComponent(id)}/${name}`;
  const at = names[tab] ? tab : hasChat(record.values) ? "chat" : "steps";
  const tabs = h(
    "nav",
    { class: "tabs", "aria-label": "Views of the thread" },
    Object.entries(names).map(([name, text]) => h("a", { href: address(name), "aria-current": name === at ? "page" : null }, text)),
  );
  const assistant = () => record.metadata?.assistant_id ?? record.metadata?.graph_id;
  const write = followUp === null ? null : composer(id, followUp, (input, onaccepted) => follow({ assistant_id: assistant(), input }, onaccepted));
  show(main, head, open, tabs, body, write);

  /** Starts a run and shows it to its end; gives what went wrong, or null. */
  const follow = async (request, onaccepted) => {
    live = { text: "", custom: [] };
    nodes = {};
    let failed = null;
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
        if (mode === "error") failed = `${data?.error ?? "Error"}: ${data?.message ?? ""}`;
        panel();
      }, { signal: abort.signal, onaccepted });
    } catch (error) {
      if (error.name === "AbortError") return null;
      failed = error.message;
    }
    live = null;
    if (failed !== null) say(failed, "error");
    await refresh(true);
    return failed;
  };
  const answer = (ask) => async (value, isHeld) => {
    if (isHeld) {
      await hold(id, assistant(), ask, value);
      return refresh(true);
    }
    const failed = await follow({ assistant_id: assistant(), command: { resume: { [ask.id]: value } } });
    if (failed !== null) throw new Error(failed);
    dropDraft(keyOf(id, ask));
  };
  // By id: a question that is still open keeps its element, and what is being written in it.
  const asked = new Map();
  const questions = () => {
    const all = asks(record);
    for (const [key, element] of asked) {
      // One whose answer was undone is asked anew, with its draft.
      const isOver = element.hasAttribute("aria-busy") && live === null && record.status !== "busy";
      if (all.some((ask) => ask.id === key) && !isOver) continue;
      element.remove();
      asked.delete(key);
    }
    for (const ask of all) {
      if (asked.has(ask.id)) continue;
      asked.set(ask.id, question(ask, keyOf(id, ask), answer(ask)));
      open.append(asked.get(ask.id));
    }
    open.firstChild.textContent = all.length === 1 ? "A question for you" : `${all.length} questions for you`;
    open.hidden = all.length === 0 || (record.status === "busy" && live === null);
  };

  const views = {
    chat: () => chat(record, live),
    steps: () => steps(record, { refresh: () => refresh(true), run: (request) => follow({ assistant_id: assistant(), ...request }) }),
    state: () => (record.values === null || record.values === undefined ? h("p", { class: "quiet" }, "No state yet.") : tree(record.values, 2)),
    graph: async () => (graph === null ? h("p", { class: "quiet" }, "The graph of this thread is not hosted here.") : draw(graph, { ...(await standing(id)), ...nodes })),
    trace: () => trace(id),
  };
  let drawn = "";
  let isWritten = false;
  body.addEventListener("input", () => (isWritten = true));
  const panel = async (force = false) => {
    // What is being written in a view stays, whoever else writes to the thread.
    if (!force && isWritten) return;
    isWritten = false;
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
    questions();
    write?.update(record, live !== null || record.status === "busy");
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
    if (!document.hidden && live === null) quiet();
  }, EVERY);
  const onchanged = () => live === null && refresh(true);
  document.addEventListener(CHANGED, onchanged);
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
    document.removeEventListener(CHANGED, onchanged);
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

/** The input that a follow-up is, as the agent of the thread declares it, or null. */
async function followUpOf(record) {
  const graph = record.metadata?.graph_id;
  const all = graph === undefined ? [] : await api.assistants();
  return all.find((one) => one.graph_id === graph && one.metadata?.follow_up)?.metadata.follow_up ?? null;
}

/** The nodes that wait or failed, from the tasks of the state as it is now. */
async function standing(id) {
  const { tasks } = await api.state(id);
  const states = (tasks ?? []).map((task) => [task.name, task.error ? "failed" : (task.interrupts ?? []).length > 0 ? "waiting" : null]);
  return Object.fromEntries(states.filter(([, state]) => state !== null));
}
