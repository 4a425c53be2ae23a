// The rail at the left: agents, and conversations with those that need a person first. On a phone it opens over the page.

import { agents, me, rows } from "./adapter.js";
import { button, h, show } from "./dom.js";
import { keys } from "./keys.js";
import { statusSign } from "./status.js";
import { ago } from "./time.js";
import { onchange } from "./watch.js";

const LENGTH = 30;
const PAUSE = 250;
const SETTLE = 400;

/** Fills the rail. Gives `mark(screen, parts)`, which marks the shown page. */
export function rail(element) {
  let marked = { screen: "", id: "" };
  let words = "";
  const list = h("ul", { class: "agents" });
  const found = h("div", { class: "found" });
  const search = h("input", {
    type: "search",
    placeholder: "Search conversations",
    "aria-label": "Search conversations",
    oninput: () => wait(PAUSE),
  });
  const count = h("span", { class: "count", "data-count": "", hidden: true });
  const lost = h("p", { class: "offline", role: "status", hidden: true }, "The server does not answer. Trying again…");
  const theme = button(
    "◐",
    () => {
      const root = document.documentElement;
      const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = isDark ? "light" : "dark";
      localStorage.setItem("theme", root.dataset.theme);
    },
    "icon",
    { "aria-label": "Light or dark" },
  );
  const settings = h("a", { href: "#/settings", "data-place": "settings", hidden: true }, "Settings");
  me()
    .then((caller) => (settings.hidden = !caller.settings))
    .catch(() => undefined);
  show(
    element,
    h("a", { class: "brand", href: "#/" }, "superstep"),
    h(
      "ul",
      { class: "places" },
      place("", "Home"),
      place("inbox", "Inbox", count),
      place("runs", "Runs"),
      place("schedules", "Schedules"),
      place("memory", "Memory"),
    ),
    h("h2", null, "Agents"),
    list,
    h("h2", null, "Conversations"),
    search,
    found,
    h(
      "div",
      { class: "rail-foot" },
      lost,
      h(
        "div",
        { class: "row" },
        h("a", { href: "#/threads", "data-place": "threads" }, "All conversations"),
        settings,
        theme,
        button("?", keys, "icon", { "aria-label": "Keyboard shortcuts" }),
      ),
    ),
  );

  const line = (row) =>
    h(
      "li",
      { "data-row": row.id },
      h(
        "a",
        { href: `#/thread/${encodeURIComponent(row.id)}`, title: row.title, "aria-current": marked.id === row.id ? "page" : null },
        statusSign(row.status),
        h("span", { class: "title" }, row.title),
        h("span", { class: "quiet when" }, ago(row.updated, true)),
      ),
    );
  let drawn = "";
  const draw = (all, waiting) => {
    const needs = words === "" ? waiting : [];
    const rest = all.filter((row) => !needs.some((other) => other.id === row.id));
    for (const badge of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-count]"))) {
      badge.hidden = waiting.length === 0;
      badge.textContent = waiting.length > LENGTH ? `${LENGTH}+` : String(waiting.length);
    }
    document.title = document.title.replace(/^(\(\d+\) )?/, waiting.length === 0 ? "" : `(${waiting.length}) `);
    const key = JSON.stringify([
      words,
      marked.id,
      [...needs, ...rest].map(({ id, status, title, updated }) => [id, status, title, updated]),
    ]);
    if (key === drawn) return;
    drawn = key;
    const focused = found.contains(document.activeElement) ? document.activeElement.closest("li")?.dataset.row : undefined;
    const top = found.scrollTop;
    show(
      found,
      needs.length > 0 && [h("h3", null, "Needs you"), h("ul", { class: "conversations" }, needs.slice(0, LENGTH).map(line))],
      rest.length > 0 && [h("h3", null, words === "" ? "Recent" : "Found"), h("ul", { class: "conversations" }, rest.map(line))],
      needs.length + rest.length === 0 &&
        h("p", { class: "quiet small" }, words === "" ? "No conversations yet." : "No conversation matches."),
    );
    found.scrollTop = top;
    if (focused) found.querySelector(`[data-row="${CSS.escape(focused)}"] a`)?.focus({ preventScroll: true });
  };
  const drawAgents = async () => {
    const all = await agents();
    show(
      list,
      all.map((agent) =>
        h(
          "li",
          null,
          h(
            "a",
            {
              href: `#/agent/${encodeURIComponent(agent.id)}`,
              "data-agent": agent.id,
              "aria-current": marked.screen === "agent" && marked.id === agent.id ? "page" : null,
            },
            h("span", { class: "initial", "aria-hidden": "true" }, agent.title[0]?.toUpperCase() ?? "?"),
            h("span", { class: "title" }, agent.title),
            agent.state !== "ready" && h("span", { class: "quiet small" }, agent.state === "rehearsal" ? "example" : "set up"),
          ),
        ),
      ),
    );
  };
  const refresh = async () => {
    const order = { sort_by: "updated_at", sort_order: "desc", limit: LENGTH };
    const [all, waiting] = await Promise.all([
      rows(words === "" ? order : { ...order, query: words }),
      rows({ ...order, status: "interrupted", limit: LENGTH + 1 }),
    ]);
    draw(
      all,
      waiting.filter((row) => row.status === "waiting"),
    );
    if (list.childElementCount === 0) await drawAgents();
  };
  let timer = null;
  const wait = (time) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      words = search.value.trim();
      refresh().catch(() => undefined);
    }, time);
  };
  document.addEventListener("connection", (/** @type {any} */ { detail: isUp }) => (lost.hidden = isUp));
  onchange(() => wait(SETTLE));
  wait(0);

  const opener = document.getElementById("open-rail");
  const toggle = (isOpen) => {
    document.body.classList.toggle("rail-open", isOpen);
    opener.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) element.querySelector("a")?.focus();
  };
  opener.addEventListener("click", () => toggle(!document.body.classList.contains("rail-open")));
  element.addEventListener("keydown", (event) => event.key === "Escape" && (toggle(false), opener.focus()));
  return {
    /** @param {string} screen @param {string[]} parts */
    mark(screen, [id = ""]) {
      marked = { screen, id };
      toggle(false);
      for (const link of element.querySelectorAll("a")) {
        const isRow = link.closest("[data-row]")?.dataset.row === id && screen === "thread";
        const isCurrent =
          isRow || (link.dataset.place === screen && screen !== "thread") || (screen === "agent" && link.dataset.agent === id);
        if (isCurrent) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
      }
    },
  };
}

const place = (name, label, badge = null) =>
  h("li", null, h("a", { href: `#/${name}`, "data-place": name }, h("span", { class: "title" }, label), badge));
