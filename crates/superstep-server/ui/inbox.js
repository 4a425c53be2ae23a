// All open questions, with keys: j and k move, a accepts, e edits, r responds, i ignores, x selects, I ignores what is selected.
//
// Everything here holds the id of a question, never a place in the list. A question that arrives is counted in a button and
// comes into the list when a person wants it; one that was answered elsewhere stays in its place, marked.

import { agents, questionsOf, rows as search, summaryOf, viewOf } from "./adapter.js";
import { api } from "./api.js";
import { question } from "./asking.js";
import { button, chip, dialog, h, say, show } from "./dom.js";
import { dropDraft } from "./drafts.js";
import { KINDS } from "./home.js";
import { answerTo, human } from "./human.js";
import { brief, plural } from "./json.js";
import { bind } from "./keys.js";
import { ago } from "./time.js";
import { CHANGED, hold, isHeld } from "./undo.js";
import { onchange } from "./watch.js";

const PAGE = 100;
/** A key that was pressed for another question does nothing to this one. */
const UNSEEN = 400;
const WAITING = { status: "interrupted", sort_by: "updated_at", sort_order: "desc" };

const assistantOf = (row) => row.record.metadata?.assistant_id ?? row.graph;

/** The id of a question among those of all threads; its draft has the same. */
const keyOf = (thread, ask) => `${thread}/${ask.id}`;

/** Sends an answer, by the id of its question, and waits for the end of the run that takes it. */
async function send({ key, thread, ask }, value) {
  const request = { assistant_id: assistantOf(thread), command: { resume: { [ask.id]: value } }, stream_mode: ["updates"] };
  let failed = null;
  await api.stream(thread.id, request, (name, data) => {
    if (name === "error") failed = data?.message ?? data?.error ?? "The run failed.";
  });
  if (failed !== null) throw new Error(failed);
  dropDraft(key);
}

/** Adds how the server describes a question, where its own data does not say how to draw it. */
async function described(entry) {
  if (human(entry.ask.value) !== null || entry.ask.view !== null) return;
  const { questions } = await viewOf(entry.thread.record);
  entry.ask = { ...entry.ask, view: questions.find((one) => one.id === entry.ask.id)?.view ?? null };
}

export async function inbox(main) {
  const entries = new Map();
  let order = [];
  let fresh = [];
  let chosen = null;
  let shown = null;
  let shownAt = 0;
  let hasMore = false;
  let listed = "";
  const sending = new Set();
  const held = new Set();
  const selected = new Set();
  const titles = new Map((await agents()).map((agent) => [agent.graph, agent.title]));
  const words = h("input", { type: "search", placeholder: "Search", "aria-label": "Search the inbox", oninput: () => draw() });
  const arrived = button("", () => merge(), "arrived", { disabled: true });
  const list = h("ul", { class: "inbox", "aria-label": "Open questions" });
  const detail = h("div", { class: "detail", "data-keys": "waiting", tabIndex: -1 });
  const bulk = button("", () => ignoreSelected(), "", { hidden: true });
  const about = h("span", { class: "quiet small" });
  const count = h("span", { class: "row" });
  const reader = h(
    "div",
    { class: "reader" },
    h("div", { class: "listed" }, h("div", { class: "filters" }, words, arrived, bulk), list, about),
    detail,
  );
  show(main, h("header", { class: "bar" }, h("h1", { tabIndex: -1 }, "Inbox"), count), reader);

  const isOut = (key) => sending.has(key) || held.has(key);
  const visible = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    return order.filter((key) => !isOut(key) && wanted.every((word) => entries.get(key).text.includes(word)));
  };
  /** The question after one that is not shown any more, else the one before it. */
  const successor = (now) => {
    if (chosen !== null && now.includes(chosen)) return chosen;
    const at = order.indexOf(chosen);
    return now.find((key) => order.indexOf(key) > at) ?? now[now.length - 1] ?? null;
  };
  const line = (key) => {
    const { thread, ask, isGone } = entries.get(key);
    const { title, about, isRisky, kind } = summaryOf(ask);
    const label = `Select: ${brief(thread.title, 60)}`;
    const box = h("input", {
      type: "checkbox",
      checked: selected.has(key),
      disabled: isGone,
      "aria-label": label,
      onchange: () => toggle(key),
    });
    const mark = isGone
      ? chip("Answered elsewhere")
      : isRisky
        ? chip("Check first", "bad")
        : chip(KINDS[kind] ?? KINDS.text, "warn");
    return h(
      "li",
      { class: [key === chosen && "chosen", isGone && "gone"].filter(Boolean).join(" "), "data-question": key },
      box,
      h(
        "button",
        { type: "button", class: "line", "aria-pressed": String(key === chosen), onclick: () => pick(key, true) },
        h(
          "span",
          { class: "title" },
          h("strong", null, brief(thread.title, 70)),
          h("span", { class: "quiet small when" }, ago(thread.updated, true)),
        ),
        h("span", { class: "quiet small" }, brief(title === thread.title ? about : `${title} ${about}`, 90)),
        h("span", { class: "row" }, mark, h("span", { class: "quiet small" }, titles.get(thread.graph) ?? thread.graph)),
      ),
    );
  };
  /** Draws the rows again only if one of them is another, and keeps the place and the focus in them. */
  const rows = (now) => {
    const wanted = JSON.stringify([
      now.map((key) => [key, key === chosen, selected.has(key), entries.get(key).isGone]),
      order.length,
      sending.size,
    ]);
    if (wanted === listed) return;
    listed = wanted;
    const [top, focused] = [list.scrollTop, list.contains(document.activeElement) ? document.activeElement : null];
    const row = focused?.closest("li")?.dataset.question;
    show(
      list,
      now.map(line),
      now.length === 0 &&
        h(
          "li",
          { class: "quiet" },
          order.length === 0 && sending.size === 0 ? "Inbox zero: no open questions." : "No other question is open.",
        ),
    );
    list.scrollTop = top;
    if (row !== undefined)
      list.querySelector(`[data-question="${CSS.escape(row)}"] ${focused.localName}`)?.focus({ preventScroll: true });
  };
  const draw = () => {
    const now = visible();
    chosen = successor(now);
    rows(now);
    bulk.hidden = selected.size === 0;
    bulk.textContent = `Ignore ${plural(selected.size, "selected question")}`;
    // It has its place before it is needed, so that it moves nothing.
    arrived.disabled = fresh.length === 0;
    arrived.textContent = fresh.length === 0 ? "Nothing new" : `${fresh.length} new`;
    show(
      about,
      sending.size > 0 && h("span", null, `${plural(sending.size, "answer")} on the way. `),
      hasMore && [`The newest ${PAGE} are shown. `, h("a", { href: "#/threads?status=interrupted" }, "All that wait")],
    );
    show(count, order.length > 0 && chip(plural(now.length, "question"), "warn"));
    detail.classList.toggle("gone", entries.get(chosen)?.isGone === true);
    if (chosen === shown) return;
    shown = chosen;
    shownAt = performance.now();
    detail.dataset.keys = "waiting";
    const mine = shownAt;
    setTimeout(() => shownAt === mine && (detail.dataset.keys = "ready"), UNSEEN);
    detail.dataset.question = chosen ?? "";
    const entry = entries.get(chosen);
    if (entry === undefined) {
      reader.classList.remove("reading");
      return void show(detail);
    }
    const place = h("div");
    const close = button("‹ All questions", () => reader.classList.remove("reading"), "link back");
    show(
      detail,
      close,
      h("h2", { class: "subject" }, brief(entry.thread.title, 120)),
      h(
        "p",
        { class: "row quiet" },
        titles.get(entry.thread.graph) ?? entry.thread.graph,
        h("a", { href: `#/thread/${encodeURIComponent(entry.thread.id)}` }, "Open the conversation"),
      ),
      h(
        "p",
        { class: "error elsewhere", role: "status" },
        "This question was answered elsewhere. What you wrote is kept until you leave this tab.",
      ),
      place,
    );
    detail.scrollTop = 0;
    described(entry).then(() => {
      if (shown === entry.key)
        show(
          place,
          question(entry.ask, entry.key, (value, isHeld) => (isHeld ? later(entry, value) : reply(entry, value))),
        );
    });
  };
  const pick = (key, isClick) => {
    chosen = key ?? chosen;
    draw();
    list.querySelector(".chosen")?.scrollIntoView({ block: "nearest" });
    if (!isClick) return;
    reader.classList.add("reading");
    if (matchMedia("(max-width: 760px)").matches) detail.focus();
  };
  const step = (by) => {
    const now = visible();
    pick(now[Math.max(0, Math.min(now.length - 1, now.indexOf(chosen) + by))]);
  };
  const toggle = (key) => {
    if (!selected.delete(key)) selected.add(key);
    draw();
  };
  /** What a person does may move the list: rows that are over go then. */
  const tidy = () => {
    order = order.filter((key) => !entries.get(key).isGone || key === chosen || held.has(key));
  };
  const merge = () => {
    tidy();
    order = [...fresh, ...order];
    fresh = [];
    draw();
  };
  const reply = async (entry, value) => {
    sending.add(entry.key);
    selected.delete(entry.key);
    tidy();
    draw();
    try {
      await send(entry, value);
      entry.isGone = true;
      say("Answered.");
    } catch (error) {
      say(`${entry.thread.title}: ${error.message}`, "error");
    }
    sending.delete(entry.key);
    order = order.filter((key) => key !== entry.key || !entry.isGone);
    await refresh();
  };
  const later = async (entry, value) => {
    // Before the thread is seen to be busy, which is no answer of others.
    held.add(entry.key);
    try {
      await hold(entry.thread.id, assistantOf(entry.thread), entry.ask, value);
    } catch (error) {
      held.delete(entry.key);
      throw error;
    }
    selected.delete(entry.key);
    tidy();
    draw();
  };
  // An answer that waited was undone, or was carried out.
  const onchanged = async (/** @type {any} */ { detail: { thread, asks } }) => {
    await refresh();
    for (const id of asks) {
      const key = keyOf(thread, { id });
      held.delete(key);
      const isOpen = entries.get(key)?.isGone === false;
      fresh = fresh.filter((other) => other !== key);
      if (!isOpen) order = order.filter((other) => other !== key);
      else if (!order.includes(key)) order = [key, ...order];
      if (isOpen) chosen = key;
    }
    draw();
  };
  const ignoreSelected = async () => {
    const all = [...selected].map((key) => entries.get(key));
    const able = all.filter((entry) => human(entry.ask.value)?.config?.allow_ignore);
    const sure = await dialog(
      `Ignore ${plural(able.length, "question")}?`,
      h(
        "div",
        null,
        h("p", null, "Nothing is sent or done for them."),
        able.length < all.length && h("p", null, `${all.length - able.length} of those selected cannot be ignored and stay.`),
        h(
          "ul",
          null,
          able.slice(0, 20).map((entry) => h("li", null, brief(entry.thread.title, 80))),
        ),
      ),
      [
        { label: "Back", value: "" },
        { label: "Ignore them", value: "yes", kind: "danger" },
      ],
    );
    if (sure !== "yes") return;
    selected.clear();
    // One after the other: two answers of one thread must not start two runs of it.
    for (const entry of able) await reply(entry, answerTo(human(entry.ask.value), "ignore", null));
  };
  const refresh = async () => {
    const found = await search({ ...WAITING, limit: PAGE + 1 });
    hasMore = found.length > PAGE;
    const open = new Set();
    const isFirst = entries.size === 0;
    for (const thread of found.slice(0, PAGE))
      for (const ask of questionsOf(thread.record)) {
        const key = keyOf(thread.id, ask);
        open.add(key);
        const text = `${thread.title} ${thread.graph} ${JSON.stringify(ask.value)}`.toLowerCase();
        entries.set(key, Object.assign(entries.get(key) ?? {}, { key, thread, ask, text, isGone: false }));
        if (!order.includes(key) && !fresh.includes(key)) fresh.push(key);
      }
    // A thread with an answer that waits is busy: its other questions are as open as before.
    for (const entry of entries.values()) if (!open.has(entry.key) && !isHeld(entry.thread.id)) entry.isGone = true;
    fresh = fresh.filter((key) => open.has(key));
    for (const key of selected) if (!open.has(key)) selected.delete(key);
    // An empty list has nothing that could move.
    if (isFirst || visible().every((key) => entries.get(key).isGone && key !== chosen)) merge();
    else draw();
  };
  await refresh();
  const act = (name) => (event) => {
    if (event.timeStamp - shownAt < UNSEEN || entries.get(shown)?.isGone) return;
    detail.querySelector(".question")?.act(name);
  };
  const unbind = bind([
    ["j", "Next question", () => step(1)],
    ["k", "Question before", () => step(-1)],
    ["a", "Accept", act("accept")],
    ["e", "Edit", act("edit")],
    ["r", "Respond", act("respond")],
    ["i", "Ignore", act("ignore")],
    ["x", "Select or not", () => chosen !== null && toggle(chosen)],
    ["I", "Ignore the selected ones", () => selected.size > 0 && ignoreSelected()],
    ["n", "Show what is new", () => fresh.length > 0 && merge()],
    ["/", "Search", () => words.focus()],
  ]);
  document.addEventListener(CHANGED, onchanged);
  const unwatch = onchange(() => sending.size === 0 && refresh().catch((error) => (about.textContent = error.message)));
  return {
    stop() {
      unwatch();
      document.removeEventListener(CHANGED, onchanged);
      unbind();
    },
  };
}
