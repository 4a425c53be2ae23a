// The long-term memory as notes: by namespace, with search, edit and delete.

import { api } from "./api.js";
import { button, confirmed, h, say, show } from "./dom.js";
import { brief, editor } from "./json.js";
import { ago } from "./time.js";

const PAGE = 50;

export async function memory(main, _parts, query) {
  const chosen = query.get("ns") === null ? null : JSON.parse(query.get("ns"));
  const words = query.get("q") ?? "";
  const reply = await api.namespaces([]);
  const found = Array.isArray(reply) ? reply : reply.namespaces;
  const namespaces = found.filter((path) => !isHistory(path));
  const histories = new Set(found.filter(isHistory).map((path) => JSON.stringify(path)));
  const list = h("ul", { class: "notes" });
  const onchange = (event) => (location.hash = address(chosen, event.target.value.trim()));
  const search = h("input", {
    type: "search",
    placeholder: "Search by meaning or words",
    value: words,
    "aria-label": "Search the memory",
    onchange,
  });
  const place = (path, label) => {
    const isCurrent = JSON.stringify(path) === JSON.stringify(chosen);
    return h("a", { class: "button pill", href: address(path, words), "aria-current": isCurrent ? "true" : null }, label);
  };
  const isEmpty = namespaces.length === 0;
  show(
    main,
    h("header", { class: "bar" }, h("h1", { tabIndex: -1 }, "Memory")),
    h(
      "div",
      { class: "page" },
      h(
        "p",
        { class: "quiet" },
        isEmpty
          ? "No memories yet. What agents note about you and your work appears here."
          : "What agents noted. You can correct a note or delete it.",
      ),
      !isEmpty && [
        h(
          "nav",
          { class: "row", "aria-label": "Namespaces" },
          place(null, "All"),
          namespaces.map((path) => place(path, path.join(" / "))),
        ),
        h("div", { class: "filters" }, search),
        list,
      ],
    ),
  );
  if (isEmpty) return null;
  let offset = 0;
  const more = async () => {
    const request = { namespace_prefix: chosen ?? [], limit: PAGE, offset };
    if (words !== "") request.query = words;
    const { items } = await api.items(request);
    if (items.length === 0 && offset === 0) list.append(h("li", { class: "quiet" }, "No note matches."));
    for (const item of items) if (!isHistory(item.namespace)) list.append(note(item, histories));
    offset += items.length;
    if (items.length < PAGE) return;
    const next = button("More", () => (next.parentElement.remove(), more()));
    list.append(h("li", null, next));
  };
  await more();
  return null;
}

/** Earlier versions of a note are below it. */
const HISTORY = "versions";
const isHistory = (path) => path.at(-1) === HISTORY;

function address(path, words) {
  const query = new URLSearchParams();
  if (path !== null) query.set("ns", JSON.stringify(path));
  if (words) query.set("q", words);
  return `#/memory?${query}`;
}

/** The text of a note, if its value is a text or an object with one text. */
function textOf(value) {
  if (typeof value === "string") return { text: value, with: (text) => text };
  const entries = value !== null && typeof value === "object" && !Array.isArray(value) ? Object.entries(value) : [];
  if (entries.length !== 1 || typeof entries[0][1] !== "string") return null;
  return { text: entries[0][1], with: (text) => ({ [entries[0][0]]: text }) };
}

/** The versions of a note, the newest first. */
async function versions(item, place) {
  const { items } = await api.items({ namespace_prefix: [...item.namespace, HISTORY], limit: PAGE });
  const lines = items
    .sort((one, other) => other.key.localeCompare(one.key))
    .map(({ value }) =>
      h(
        "li",
        null,
        h("p", { class: "quiet small" }, value.at ? ago(value.at) : "", value.why ? `: ${value.why}` : ""),
        h("div", { class: "note-text" }, textOf(value)?.text ?? value.text ?? JSON.stringify(value, null, 2)),
      ),
    );
  show(place, h("ol", { class: "versions" }, lines));
}

function note(item, histories) {
  const label = `Value of ${item.key}`;
  const place = h("div");
  const earlier = h("div");
  const hasHistory = histories.has(JSON.stringify([...item.namespace, HISTORY]));
  const failed = (error) => say(error.message, "error");
  const save = async (value) => {
    try {
      // What was shown must still be there: what another client wrote meanwhile is not overwritten.
      await api.putItem({ namespace: item.namespace, key: item.key, value, expected: item.value });
      item.value = value;
      say("Saved.");
      read();
    } catch (error) {
      say(
        error.status === 409 ? `It was changed meanwhile. Load the page again to see it. ${error.message}` : error.message,
        "error",
      );
    }
  };
  const edit = () => {
    const own = textOf(item.value);
    const json = own === null ? editor(item.value, label) : null;
    const field = json?.field ?? h("textarea", { rows: Math.min(24, 2 + own.text.split("\n").length), "aria-label": label });
    if (own !== null) field.value = own.text;
    const done = () => {
      const got = json === null ? { value: own.with(field.value) } : json.read();
      if (got !== null) save(got.value);
    };
    show(
      place,
      json?.element ?? field,
      h(
        "div",
        { class: "row" },
        button("Save", done, "primary"),
        button("Cancel", () => read()),
      ),
    );
    field.focus();
  };
  const read = () => {
    const own = textOf(item.value);
    const text = own?.text ?? JSON.stringify(item.value, null, 2);
    show(
      place,
      h("div", { class: own === null ? "code note-text" : "note-text" }, text),
      h(
        "div",
        { class: "row" },
        button("Edit", edit, "", { "aria-label": `Edit ${item.key}` }),
        hasHistory && button("History", () => versions(item, earlier).catch(failed), "", { "aria-label": `History of ${item.key}` }),
        button("Delete", remove, "danger", { "aria-label": `Delete ${item.key}` }),
      ),
    );
  };
  const remove = async () => {
    if (!(await confirmed("Delete this note?", brief(`${item.namespace.join(" / ")} / ${item.key}`, 200), "Delete"))) return;
    await api.deleteItem({ namespace: item.namespace, key: item.key });
    box.remove();
    say("Deleted.");
  };
  const match = item.score !== undefined && item.score !== null ? ` · match ${Number(item.score).toFixed(2)}` : "";
  const head = h(
    "div",
    { class: "row" },
    h("strong", null, item.key),
    h("span", { class: "quiet small" }, item.namespace.join(" / "), match),
    h("span", { class: "quiet when" }, ago(item.updated_at)),
  );
  const box = h("li", { class: "card" }, head, place, earlier);
  read();
  return box;
}
