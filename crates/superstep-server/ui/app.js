// Where the page begins: which screen an address shows, the theme, the keys, and the token when the server wants one.
//
// A screen is a function `(main, parts, query) => stop?`; `stop` ends its timers and listeners when another one is shown.

import { api, ApiError, useToken } from "./api.js";
import { agents } from "./agents.js";
import { h, show, say, dialog } from "./dom.js";
import { inbox, waiting } from "./inbox.js";
import { keys, press } from "./keys.js";
import { memory } from "./memory.js";
import { run } from "./run.js";
import { thread } from "./thread.js";
import { threads } from "./threads.js";
import { findHeld } from "./undo.js";

const SCREENS = { "": agents, run, inbox, threads, thread, memory };
const TITLES = { "": "Agents", run: "Run", inbox: "Inbox", threads: "Threads", thread: "Thread", memory: "Memory" };

let stop = null;
let shown = 0;

async function route() {
  const [path, search] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...parts] = path.split("/").map(decodeURIComponent);
  const screen = SCREENS[name];
  const main = document.getElementById("main");
  stop?.();
  stop = null;
  const mine = ++shown;
  for (const link of document.querySelectorAll("nav a")) {
    const current = link.dataset.screen === (name === "" || name === "run" ? "agents" : name === "thread" ? "threads" : name);
    if (current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${TITLES[name] ?? "Not found"} · superstep`;
  if (screen === undefined) {
    show(main, h("h1", null, "There is no such page"), h("p", null, h("a", { href: "#/" }, "Go to the agents")));
    return;
  }
  show(main, h("p", { class: "quiet" }, "Loading…"));
  try {
    const ended = await screen(main, parts, new URLSearchParams(search ?? ""));
    if (mine === shown) stop = ended ?? null;
    else ended?.();
  } catch (error) {
    if (error instanceof ApiError && (error.status === 401 || error.status === 403) && (await askToken(error))) return route();
    if (mine === shown) show(main, h("h1", null, "This did not work"), h("p", { class: "error" }, error.message), retry());
    if (!(error instanceof ApiError)) throw error;
  }
}

function retry() {
  return h("p", null, h("button", { type: "button", onclick: route }, "Try again"));
}

async function askToken(error) {
  const field = h("input", { type: "password", autocomplete: "off", id: "token" });
  const chosen = await dialog(
    "This server wants a token",
    h("div", null, h("p", null, error.message), h("label", { for: "token" }, "Token"), field),
    [
      { label: "Cancel", value: "" },
      { label: "Go on", value: "yes", kind: "primary" },
    ],
  );
  if (chosen !== "yes" || field.value === "") return false;
  useToken(field.value);
  return true;
}

function theme() {
  const root = document.documentElement;
  const kept = localStorage.getItem("theme");
  if (kept !== null) root.dataset.theme = kept;
  document.getElementById("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    localStorage.setItem("theme", root.dataset.theme);
  });
}

async function count() {
  if (document.hidden) return;
  try {
    const [found] = await Promise.all([waiting(), findHeld()]);
    const badge = document.getElementById("inbox-count");
    badge.hidden = found === "0";
    badge.textContent = found;
  } catch {
    // The screen itself says what does not work; a count that cannot be had is not shown.
    document.getElementById("inbox-count").hidden = true;
  }
}

theme();
document.getElementById("keys").addEventListener("click", keys);
document.addEventListener("keydown", press);
addEventListener("hashchange", route);
addEventListener("unhandledrejection", (event) => {
  if (event.reason?.name !== "AbortError") say(event.reason?.message ?? String(event.reason), "error");
});
await route();
await count();
setInterval(count, 5000);
