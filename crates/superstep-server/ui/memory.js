// The long-term memory: namespaces as a tree, items with their values, search, edit and delete.

import { api } from "./api.js";
import { h, say, show, dialog } from "./dom.js";
import { brief, editor } from "./json.js";
import { ago } from "./time.js";

const PAGE = 50;

export async function memory(main, _parts, query) {
  const chosen = query.get("ns") === null ? null : JSON.parse(query.get("ns"));
  const words = query.get("q") ?? "";
  const { namespaces } = normalise(await api.namespaces([]));
  const list = h("ul", { class: "rows" });
  const search = h("input", { type: "search", placeholder: "Search by meaning or words", value: words, "aria-label": "Search the memory", onchange: (event) => go(chosen, event.target.value.trim()) });
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
  show(
    main,
    h("h1", null, "Memory"),
    namespaces.length === 0
      ? h("p", { class: "quiet" }, "Nothing is remembered yet. What graphs put into the store is here.")
      : h(
          "div",
          { class: "split" },
          h(
            "nav",
            { "aria-label": "Namespaces" },
            h("ul", { class: "rows" }, h("li", null, h("a", { href: address(null, words), "aria-current": chosen === null ? "true" : null }, "everything")), namespaces.map((path) => h("li", null, h("a", { href: address(path, words), "aria-current": same(path, chosen) ? "true" : null }, path.join(" / "))))),
          ),
          h("div", null, h("div", { class: "filters" }, search), list),
        ),
  );
  if (namespaces.length === 0) return;
  let offset = 0;
  const more = async () => {
    const request = { namespace_prefix: chosen ?? [], limit: PAGE, offset };
    if (words !== "") request.query = words;
    const { items } = await api.items(request);
    if (items.length === 0 && offset === 0) list.append(h("li", { class: "quiet" }, "No item fits."));
    for (const item of items) list.append(entry(item));
    offset += items.length;
    if (items.length === PAGE) {
      const button = h("button", { type: "button", onclick: () => (button.parentElement.remove(), more()) }, "More");
      list.append(h("li", null, button));
    }
  };
  await more();
}

const normalise = (reply) => (Array.isArray(reply) ? { namespaces: reply } : reply);

function address(path, words) {
  const query = new URLSearchParams();
  if (path !== null) query.set("ns", JSON.stringify(path));
  if (words) query.set("q", words);
  return `#/memory?${query}`;
}

function go(path, words) {
  location.hash = address(path, words);
}

/** A field for a text, as it is. */
function words(value, label) {
  const field = h("textarea", { rows: Math.min(24, 2 + value.split("\n").length), "aria-label": label });
  field.value = value;
  return { element: h("div", { class: "editor" }, field), read: () => ({ value: field.value }) };
}

function entry(item) {
  const label = `Value of ${item.key}`;
  const edit = typeof item.value === "string" ? words(item.value, label) : editor(item.value, label);
  const save = async () => {
    const got = edit.read();
    if (got === null) return;
    try {
      // What was shown must still be there: what somebody else wrote meanwhile is not overwritten.
      await api.putItem({ namespace: item.namespace, key: item.key, value: got.value, expected: item.value });
      item.value = got.value;
      say("Saved.");
    } catch (error) {
      say(error.status === 409 ? `It was changed meanwhile; load the page again to see it. ${error.message}` : error.message, "error");
    }
  };
  const remove = async () => {
    const sure = await dialog("Forget this?", h("p", null, `${item.namespace.join(" / ")} / ${item.key}`), [
      { label: "Keep it", value: "" },
      { label: "Forget", value: "yes", kind: "danger" },
    ]);
    if (sure !== "yes") return;
    await api.deleteItem({ namespace: item.namespace, key: item.key });
    box.remove();
    say("Forgotten.");
  };
  const box = h(
    "li",
    null,
    h(
      "details",
      null,
      h("summary", null, h("strong", null, item.key), " ", h("span", { class: "quiet" }, brief(item.value, 100)), " ", h("span", { class: "quiet when" }, ago(item.updated_at))),
      h("p", { class: "quiet" }, item.namespace.join(" / "), item.score !== undefined && item.score !== null ? `, match ${Number(item.score).toFixed(2)}` : ""),
      edit.element,
      h("div", { class: "row" }, h("button", { type: "button", class: "primary", onclick: save }, "Save"), h("button", { type: "button", class: "danger", onclick: remove }, "Forget")),
    ),
  );
  return box;
}

