// The first page: what waits for a person, what is at work, and the agents with an example to start.

import { agents, me, questionsOf, rows, summaryOf, textIn } from "./adapter.js";
import { button, chip, h, say, show } from "./dom.js";
import { inline } from "./inline.js";
import { brief, plural } from "./json.js";
import { startWith } from "./start.js";
import { statusChip } from "./status.js";
import { ago } from "./time.js";
import { onchange } from "./watch.js";

const LENGTH = 8;
const FAILED = 3;
const RECENT = 24 * 60 * 60 * 1000;
export const KINDS = {
  mail: "Reply drafted",
  meeting: "Meeting proposed",
  changes: "Changes to approve",
  approval: "Approval needed",
  choice: "Choice needed",
  text: "Asks you",
};

export async function home(main) {
  const [all, caller] = await Promise.all([agents(), me()]);
  const titles = new Map(all.map((agent) => [agent.graph, agent.title]));
  const waiting = h("section", { class: "card list", "aria-label": "Waiting for you", hidden: true });
  const working = h("section", { class: "card list", "aria-label": "Working now", hidden: true });
  const failed = h("section", { class: "card list", "aria-label": "Failed", hidden: true });
  const about = h("span", { class: "row" });
  show(
    main,
    h("header", { class: "bar" }, h("h1", { tabIndex: -1 }, "Home"), about),
    h(
      "div",
      { class: "page" },
      waiting,
      working,
      failed,
      all.length === 0 ? h("p", null, "This server hosts no agents.") : h("ul", { class: "cards" }, all.map(card)),
      setup(all, caller.settings),
    ),
  );
  const refresh = async () => {
    const order = { sort_by: "updated_at", sort_order: "desc", limit: LENGTH };
    const [open, busy, wrong] = await Promise.all(
      ["interrupted", "busy", "error"].map((status) => rows({ ...order, status, limit: status === "error" ? FAILED : LENGTH })),
    );
    const asked = open.filter((row) => row.status === "waiting");
    draw(
      waiting,
      "Waiting for you",
      asked.map((row) => question(row, titles)),
    );
    draw(
      working,
      "Working now",
      busy.map((row) => line(row, statusChip("running"), titles.get(row.graph) ?? row.graph)),
    );
    draw(
      failed,
      "Failed",
      wrong
        .filter((row) => Date.now() - Date.parse(row.updated) < RECENT)
        .map((row) => line(row, statusChip("failed"), brief(row.subtitle, 80))),
    );
    show(
      about,
      asked.length > 0 && chip(asked.length < LENGTH ? `${asked.length} wait for you` : `${LENGTH} or more wait for you`, "warn"),
    );
  };
  await refresh();
  return { stop: onchange(() => refresh()) };
}

/** What is missing on this machine, each thing once, with the agents that need it. */
function setup(all, canSet) {
  const missing = new Map();
  for (const agent of all) {
    for (const need of agent.needs) {
      const known = missing.get(need.what) ?? { ...need, agents: [] };
      missing.set(need.what, { ...known, agents: [...known.agents, agent.title] });
    }
  }
  if (missing.size === 0) return null;
  const line = ({ what, fix, agents: titles }) => [
    h("dt", null, chip(`No ${what}`, "warn"), " for ", titles.join(", ")),
    h("dd", { class: "quiet" }, inline(fix)),
  ];
  return h(
    "section",
    { class: "card setup", "aria-label": "Set up" },
    h("h2", null, "Set up"),
    h("p", { class: "quiet" }, "Until then the examples play: they really run, with written replies."),
    h("dl", null, [...missing.values()].map(line)),
    canSet && missing.has("model") && h("a", { class: "button primary", href: "#/settings" }, "Choose a model"),
  );
}

function draw(section, title, lines) {
  section.hidden = lines.length === 0;
  const focused = section.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  show(section, h("h2", null, title), h("ul", { class: "rows" }, lines));
  if (focused) section.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
}

const line = (row, mark, about) =>
  h(
    "li",
    null,
    h(
      "a",
      { class: "line", href: `#/thread/${encodeURIComponent(row.id)}` },
      mark,
      h("strong", { class: "title" }, brief(row.title, 90)),
      h("span", { class: "quiet" }, about),
    ),
    h("span", { class: "quiet when" }, ago(row.updated)),
  );

function question(row, titles) {
  const asks = questionsOf(row.record);
  const { kind, isRisky } = summaryOf(asks[0]);
  const mark = isRisky ? chip("Check first", "bad") : chip(KINDS[kind] ?? KINDS.text, "warn");
  return line(row, mark, asks.length > 1 ? plural(asks.length, "question") : (titles.get(row.graph) ?? row.graph));
}

function card(agent) {
  const open = `#/agent/${encodeURIComponent(agent.id)}`;
  const example = agent.example === null ? null : textIn(agent.template, agent.example);
  const isReady = agent.state === "ready" || agent.state === "rehearsal";
  const needsFile = JSON.stringify(agent.example ?? {}).includes('"workbook":""');
  const begin = async (event) => {
    const pressed = event.currentTarget;
    pressed.disabled = true;
    try {
      await startWith(agent, agent.example, example);
    } catch (error) {
      pressed.disabled = false;
      say(error.message, "error");
    }
  };
  const label = example ?? (agent.state === "rehearsal" ? "Play the example" : null);
  return h(
    "li",
    { class: "card" },
    h("h2", null, h("a", { href: open }, agent.title)),
    h("p", { class: "quiet" }, agent.about),
    agent.needs.length > 0 && h("p", null, agent.needs.map(({ what }) => chip(`No ${what}`, "warn"))),
    h(
      "div",
      { class: "row" },
      isReady && label !== null && !needsFile && button(brief(label, 60), begin, "pill"),
      h("a", { class: "button pill", href: open }, agent.takes === "form" ? "Set up a run" : "New conversation"),
    ),
  );
}
