// The beginning of the page: the rail, the screen that an address shows, the keys, and the token when the server wants one.
//
// A screen is a function `(main, parts, query)`; it gives `{stop, update}` or nothing. `update(parts, query)` shows another part
// of the same screen and gives false if it is not the same.

import { onTokenNeeded, ApiError } from "./api.js";
import { button, dialog, h, say, show } from "./dom.js";
import { home } from "./home.js";
import { press } from "./keys.js";
import { rail } from "./rail.js";
import { findHeld } from "./undo.js";
import { onchange, watch } from "./watch.js";

const SCREENS = {
  "": home,
  agent: async (main, parts) => (await import("./new.js")).newConversation(main, parts),
  thread: async (main, parts) => (await import("./conversation.js")).conversation(main, parts),
  inbox: async (main) => (await import("./inbox.js")).inbox(main),
  threads: async (...all) => (await import("./threads.js")).threads(...all),
  runs: async (...all) => (await import("./runs.js")).runs(...all),
  settings: async (main) => (await import("./settings.js")).settings(main),
  schedules: async (main) => (await import("./schedules.js")).schedules(main),
  memory: async (...all) => (await import("./memory.js")).memory(...all),
};
const main = document.getElementById("main");

let current = null;
let entered = 0;
let name = null;

async function route() {
  const [path, search] = location.hash.replace(/^#\/?/, "").split("?");
  const [screen, ...parts] = path.split("/").map(decodeURIComponent);
  const query = new URLSearchParams(search ?? "");
  menu.mark(screen, parts);
  if (screen === name && current?.update?.(parts, query)) return;
  current?.stop?.();
  current = null;
  name = screen;
  const mine = ++entered;
  const isFirst = mine === 1;
  for (const old of document.querySelectorAll("#messages .error")) old.remove();
  main.className = `screen-${screen || "home"}`;
  if (SCREENS[screen] === undefined) {
    show(main, h("h1", { tabIndex: -1 }, "Page not found"), h("p", null, h("a", { href: "#/" }, "Home")));
    return titled(isFirst);
  }
  show(main, h("p", { class: "quiet loading" }, "Loading…"));
  try {
    const shown = await SCREENS[screen](main, parts, query);
    if (mine !== entered) return shown?.stop?.();
    current = shown ?? null;
  } catch (error) {
    if (mine !== entered) return;
    const isGone = error instanceof ApiError && error.status === 404;
    const title = isGone ? "This is not here any more" : "This page could not be loaded";
    const again = button("Try again", () => ((name = null), route()), "primary");
    show(
      main,
      h(
        "div",
        { class: "page" },
        h("h1", { tabIndex: -1 }, title),
        h("p", { class: "error" }, error.message),
        h("div", { class: "row" }, again, h("a", { class: "button", href: "#/" }, "Home")),
      ),
    );
    name = null;
    if (!(error instanceof ApiError)) throw error;
  } finally {
    if (mine === entered) titled(isFirst);
  }
}

/** The title of the window is that of the screen, which gets the focus unless a field has it. */
function titled(isFirst) {
  const heading = main.querySelector("h1");
  const [count] = /^\(\d+\) /.exec(document.title) ?? [""];
  document.title = `${count}${heading?.textContent ?? "superstep"} · superstep`;
  if (!isFirst && !main.contains(document.activeElement)) heading?.focus({ preventScroll: true });
}

onTokenNeeded(async (error) => {
  const field = h("input", { type: "password", autocomplete: "off", id: "token" });
  const why = error.message === "" ? "The token is missing or not valid any more." : error.message;
  const body = h(
    "div",
    null,
    h("p", null, why),
    h("p", { class: "quiet" }, "It is kept for this tab only."),
    h("label", { for: "token" }, "Token"),
    field,
  );
  field.addEventListener("keydown", (event) => event.key === "Enter" && field.closest("dialog").close("yes"));
  const chosen = await dialog("This server needs a token", body, [
    { label: "Cancel", value: "" },
    { label: "Continue", value: "yes", kind: "primary" },
  ]);
  return chosen === "yes" && field.value !== "" ? field.value : null;
});

const kept = localStorage.getItem("theme");
if (kept !== null) document.documentElement.dataset.theme = kept;
document.getElementById("skip").addEventListener("click", () => main.focus());
document.addEventListener("keydown", press);
addEventListener("hashchange", route);
addEventListener("unhandledrejection", (event) => {
  if (event.reason?.name !== "AbortError") say(event.reason?.message ?? String(event.reason), "error");
});
const menu = rail(document.getElementById("rail"));
await route();
onchange(() => findHeld());
findHeld().catch(() => undefined);
watch();
