// A conversation with an agent: what was said, what goes on, what it asks, what came of it, and the field for what is next.

import { activity } from "./activity.js";
import { agentOf, filled, summaryOf, textIn, viewOf } from "./adapter.js";
import { api } from "./api.js";
import { question, takesText } from "./asking.js";
import { baseOf } from "./branch.js";
import { linkCitations } from "./citations.js";
import { composer } from "./composer.js";
import { button, chip, h, say, show } from "./dom.js";
import { dropDraft } from "./drafts.js";
import { follow } from "./following.js";
import { heading, TABS } from "./heading.js";
import { plural } from "./json.js";
import { bind } from "./keys.js";
import { outcomeCard } from "./outcome.js";
import { openText } from "./reader.js";
import { takeStart } from "./start.js";
import { surfaceOf } from "./surface.js";
import { reconcile, turnElement } from "./turn.js";
import { CHANGED, hold } from "./undo.js";
import { onchange } from "./watch.js";

const NEAR = 120;
/** How many messages are drawn at first, and by each press for earlier ones. */
const DRAWN = 60;

/** @param {HTMLElement} main */
export async function conversation(main, [id, tab = ""]) {
  let record = await api.thread(id);
  let view = await viewOf(record);
  let live = null;
  let shownTab = null;
  let editing = null;
  const agent = await agentOf(record.metadata?.assistant_id ?? record.metadata?.graph_id ?? "");
  const assistant = () => record.metadata?.assistant_id ?? record.metadata?.graph_id ?? agent?.id;
  const abort = new AbortController();

  const head = h("header", { class: "bar" });
  const log = h("div", { class: "log", role: "log", "aria-label": "Conversation", "aria-live": "off" });
  const running = h("div", { class: "running" });
  const asks = h("section", { class: "questions", "aria-label": "Open questions" });
  const outcome = h("div");
  const spoken = h("p", { class: "hidden-text", role: "status" });
  const lost = h(
    "p",
    { class: "offline", role: "status", hidden: true },
    "The connection is lost. The run goes on; this page joins it again as soon as the server answers.",
  );
  let drawn = DRAWN;
  const earlier = button("", () => showEarlier(), "link", { hidden: true });
  const column = h("div", { class: "column" }, earlier, log, running, lost, asks, outcome, spoken);
  const talk = h("div", { class: "talk", tabIndex: -1 }, column);
  const foot = h("div", { class: "foot", hidden: true });
  const surface = h("div", { class: "surface", hidden: true });
  const panel = h("div", { class: "panel", hidden: true });
  const panes = h("div", { class: "panes" }, h("div", { class: "left" }, talk, foot), surface);
  show(main, head, panes, panel);
  const side = surfaceOf(() => record);

  const isNear = () => talk.scrollHeight - talk.scrollTop - talk.clientHeight < NEAR;
  const toEnd = () => (talk.scrollTop = talk.scrollHeight);
  const sticking = (change) => {
    const stick = isNear();
    change();
    if (stick) toEnd();
  };
  const isBusy = () => live !== null || record.status === "busy";

  const write = composer({
    key: `${id}/follow-up`,
    label: "Your message",
    area: null,
    send: (text, _files, onaccepted) => sent(text, onaccepted),
    stop: () => stop(),
  });
  show(foot, h("div", { class: "column" }, write.element));

  /** The one open question that a line answers, or null. */
  const asked = () => (view.questions.length === 1 && takesText(view.questions[0]) ? view.questions[0] : null);
  const sent = async (text, onaccepted) => {
    const ask = asked();
    if (ask !== null) {
      const taken = await api.answer(id, ask.view?.id ?? ask.id, text);
      onaccepted();
      return watchRun({ run: taken.run_id, text });
    }
    const input = filled(agent.followUp, text);
    const from = editing;
    editing = null;
    const base = from === null ? {} : { checkpoint_id: await baseOf(id, from, view.transcript) };
    return begin({ assistant_id: assistant(), input, ...base }, { text, onaccepted });
  };
  /** Starts a run and shows it to its end; throws what the server refuses. */
  const begin = async (request, { text = null, onaccepted = null } = {}) => {
    const opened = (onevent) => api.stream(id, request, onevent, { signal: abort.signal, onaccepted });
    await watchRun({ begin: opened, text });
  };
  const watchRun = async ({ begin = null, run = null, text = null }) => {
    const pending =
      text === null ? null : turnElement({ role: "person", text, at: null, run: null, notices: [] }, { edit: null, name: "" });
    live = activity(agent?.nodes ?? {});
    if (view.transcript.length === 0 && run === null) view = { ...view, title: text ?? agent?.title ?? view.title };
    let error = null;
    settle.disconnect();
    sticking(() => {
      show(running, pending, live.element);
      show(outcome);
      draw();
    });
    if (text !== null) toEnd();
    const onevent = (name, data) =>
      sticking(() => {
        live.feed(name, data);
        shownTab?.live?.(live.nodes);
      });
    try {
      const onlost = (isLost) => (lost.hidden = !isLost);
      const failed = await follow({ thread: id, begin, run, onevent, onlost, signal: abort.signal });
      if (failed !== null) spoken.textContent = "The run failed.";
    } catch (thrown) {
      if (thrown.name === "AbortError") return;
      error = thrown;
    }
    const done = live;
    live = null;
    done.end();
    await refresh(error === null ? done.element : null);
    if (error !== null) throw error;
    spoken.textContent =
      view.questions.length > 0 ? `A question for you: ${summaryOf(view.questions[0]).title}` : "The agent is done.";
  };
  const reply = async (ask, value, { text = null, onaccepted = null } = {}) => {
    await begin({ assistant_id: assistant(), command: { resume: { [ask.id]: value } } }, { text, onaccepted });
    dropDraft(`${id}/${ask.id}`);
  };
  const answer = (ask) => async (value, isHeld) => {
    if (!isHeld) return reply(ask, value, { text: typeof value === "string" ? value : null });
    await hold(id, assistant(), ask, value);
    await refresh();
  };
  const stop = async () => {
    for (const run of await api.runs(id))
      if (run.status === "running" || run.status === "pending") await api.cancel(id, run.run_id);
    if (live === null) await refresh();
  };
  const go = () => begin({ assistant_id: assistant(), input: null }).catch((error) => say(error.message, "error"));

  // By id: a question that is still open keeps its element, and what is being written in it.
  const elements = new Map();
  const questions = () => {
    const open = isBusy() ? view.questions.filter((ask) => elements.get(ask.id)?.hasAttribute("aria-busy")) : view.questions;
    for (const [key, element] of elements) {
      const isOver = element.hasAttribute("aria-busy") && !isBusy();
      if (open.some((ask) => ask.id === key) && !isOver) continue;
      element.remove();
      elements.delete(key);
    }
    for (const ask of open) {
      if (elements.has(ask.id)) continue;
      elements.set(
        ask.id,
        question(ask, `${id}/${ask.id}`, answer(ask), {
          hasField: asked() === null,
          isInbox: false,
          said: view.transcript.at(-1)?.text,
        }),
      );
      asks.append(elements.get(ask.id));
    }
    asks.hidden = open.length === 0;
  };
  const showEarlier = () => {
    settle.disconnect();
    const height = talk.scrollHeight;
    drawn += DRAWN;
    draw();
    talk.scrollTop += talk.scrollHeight - height;
  };
  const edit = (turn) => {
    editing = turn;
    write.fill(turn.text);
    write.label("Say it differently: the conversation continues from here on a branch");
  };
  const draw = () => {
    show(head, ...heading({ id, view, record, agent, tab, side, isBusy: isBusy(), refresh }));
    const canFollow = agent?.followUp !== null && agent !== null && record.status !== "interrupted";
    const from = Math.max(0, view.transcript.length - drawn);
    earlier.hidden = from === 0;
    earlier.textContent = plural(from, "earlier message");
    reconcile(log, view.transcript, from, (turn) => {
      const canEdit = canFollow && turn.role === "person" && textIn(agent.followUp, agent.followUp) !== null;
      const element = turnElement(turn, { name: agent?.title ?? "Agent", edit: canEdit ? () => edit(turn) : null });
      return side.cites() ? linkCitations(element, (...place) => openText(id, ...place)) : element;
    });
    questions();
    show(outcome, isBusy() ? null : outcomeCard(view, { go }));
    foot.hidden = !isBusy() && asked() === null && !canFollow;
    write.busy(isBusy(), (agent?.followUp ?? null) !== null || asked() !== null);
    if (editing === null) write.label(asked() !== null ? "Your answer" : canFollow ? "Ask what is next" : "Your message");
    side.update(surface);
    surface.hidden = side.label() === null || (tab !== "" && tab !== "result");
    panes.classList.toggle("with-surface", side.label() !== null);
    panes.classList.toggle("slim", side.isSlim());
  };
  /** Reads the thread again. `steps` are those of a run that ended: they stand before what it reported. */
  const refresh = async (steps = null) => {
    record = await api.thread(id);
    view = await viewOf(record);
    if (live !== null) return;
    sticking(() => {
      show(running);
      draw();
      if (steps !== null) placed(steps);
    });
    shownTab?.refresh?.(record);
  };
  const placed = (steps) => {
    const last = log.lastElementChild;
    if (last?.classList.contains("agent")) last.prepend(steps);
    else running.append(steps);
  };
  const open = async (name) => {
    tab = name;
    shownTab?.stop?.();
    shownTab = null;
    draw();
    panes.hidden = name !== "" && name !== "result";
    panes.classList.toggle("alone", name === "result");
    panel.hidden = !panes.hidden;
    if (!panes.hidden) return;
    show(panel, h("p", { class: "quiet" }, "Loading…"));
    const shown = await TABS[name].open({
      panel,
      record,
      agent,
      nodes: live?.nodes ?? {},
      run: (request) => begin({ assistant_id: assistant(), ...request }),
      refresh,
    });
    if (tab === name) shownTab = shown;
    else shown?.stop?.();
  };

  await open(TABS[tab] || tab === "result" ? tab : "");
  // It opens where the person is needed: at the end, or at the beginning of a question that is longer than the page.
  const toNeed = () => {
    toEnd();
    if (asks.offsetHeight > talk.clientHeight) talk.scrollTop += asks.getBoundingClientRect().top - talk.getBoundingClientRect().top;
  };
  // Turns get their true height when they come into view: the place is kept until the person scrolls.
  const settle = new ResizeObserver(toNeed);
  settle.observe(column);
  for (const name of ["wheel", "touchstart", "keydown", "pointerdown"]) {
    talk.addEventListener(name, () => settle.disconnect(), { once: true, passive: true });
  }
  const start = takeStart(id);
  if (start !== null)
    begin(start.request, { text: start.text }).catch((error) =>
      show(outcome, chip("failed", "bad"), h("p", { class: "error" }, error.message)),
    );
  else if (record.status === "busy") join();
  async function join() {
    const run = (await api.runs(id)).find((one) => one.status === "running");
    if (run !== undefined && live === null) watchRun({ run: run.run_id }).catch((error) => say(error.message, "error"));
  }

  const unwatch = onchange(async (changed) => {
    if (live !== null || (changed !== null && changed !== id)) return;
    const now = await api.thread(id);
    if (now.updated_at === record.updated_at && now.status === record.status) return;
    await refresh();
    if (record.status === "busy") join();
  });
  const onanswers = () => live === null && refresh();
  document.addEventListener(CHANGED, onanswers);
  const names = ["", ...Object.keys(TABS)];
  const unbind = bind(
    names.map((name, at) => [String(at + 1), TABS[name]?.label ?? "Conversation", () => location.replace(address(id, name))]),
  );
  return {
    update: ([other, name = ""]) => other === id && (open(name), true),
    stop() {
      settle.disconnect();
      unwatch();
      document.removeEventListener(CHANGED, onanswers);
      abort.abort();
      shownTab?.stop?.();
      side.stop();
      unbind();
    },
  };
}

export const address = (id, name) => `#/thread/${encodeURIComponent(id)}${name === "" ? "" : `/${name}`}`;
