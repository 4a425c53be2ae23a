// The documents that an agent read: whole, cut, or left out with the reason.

import { button, chip, h, show } from "./dom.js";
import { plural } from "./json.js";
import { openText } from "./reader.js";

export const hasDocuments = (values) => (values.inputs?.files ?? []).length > 0;

/** What became of a file: `{state, about}`. Its fate is a word or an object with one field. */
function fateOf({ fate }) {
  const [state, more] = typeof fate === "string" ? [fate, null] : (Object.entries(fate ?? {})[0] ?? ["", null]);
  if (typeof more === "string") return { state, about: more.replaceAll("_", " ") };
  const tokens = more?.tokens ?? more?.kept ?? (Number.isFinite(more) ? more : null);
  return { state, about: tokens === null ? "" : `${tokens.toLocaleString("en")} tokens` };
}

export function documents() {
  const list = h("ul", { class: "rows" });
  const sum = h("p", { class: "quiet small" });
  const element = h("div", { class: "side" }, h("h2", { class: "label" }, "Documents"), sum, list);
  return {
    element,
    update({ thread_id: thread, values }) {
      const { files = [], tokens = 0, budget = 0, folder } = values?.inputs ?? {};
      show(
        sum,
        [folder?.split("/").pop(), tokens > 0 && `${tokens.toLocaleString("en")} of ${budget.toLocaleString("en")} tokens`]
          .filter(Boolean)
          .join(" · "),
      );
      sum.title = folder ?? "";
      const left = Object.values(values?.inputs?.left ?? {}).reduce((total, count) => total + count, 0);
      show(
        list,
        files.map((file) => line(file, thread)),
        left > files.length && h("li", { class: "quiet" }, `${plural(left, "file")} left out`),
      );
    },
  };
}

function line(file, thread) {
  const { state, about } = fateOf(file);
  const isLeft = state === "left";
  const sign = h("span", { class: isLeft ? "dot" : "dot good", "aria-hidden": "true" }, isLeft ? "–" : "✓");
  const name = String(file.path ?? file.name ?? file.file ?? "");
  return h(
    "li",
    null,
    sign,
    isLeft ? h("span", { class: "title" }, name) : button(name, () => openText(thread, name), "link title"),
    h("span", { class: "quiet small" }, about),
    (state === "cut" || isLeft) && chip(isLeft ? "left out" : "cut", "warn"),
  );
}
