// Pages of documentation as a reader: the list with the state of each, the page, its claims, and what was wrong in them.

import { button, chip, h, show } from "./dom.js";
import { plural } from "./json.js";
import { markdown } from "./markdown.js";

const SIGNS = { success: ["✓", "good"], partial: ["◐", "warn"], failed: ["!", "bad"], facts: ["·", ""] };

const titled = (key) => key.replaceAll(/[_-]+/g, " ").replace(/^\w/, (first) => first.toUpperCase());
const claimsOf = (result) => ({
  made: 0,
  verified: 0,
  fixed: 0,
  removed: 0,
  unverified: 0,
  problems: [],
  ...result.metadata?.claims,
});

export function pages() {
  let results = {};
  let chosen = null;
  let drawn = "";
  const list = h("ul", { class: "contents" });
  const page = h("article", { class: "page-text", tabIndex: -1 });
  const sum = h("p", { class: "row small" });
  const element = h(
    "div",
    { class: "pages" },
    h("nav", { "aria-label": "Pages" }, h("h2", { class: "label" }, "Pages"), sum, list),
    page,
  );

  const link = (key) => {
    const result = results[key];
    const { made, verified } = claimsOf(result);
    const [sign, kind] = SIGNS[result.status] ?? SIGNS.facts;
    const about =
      made > 0
        ? `${verified} of ${plural(made, "claim")} verified`
        : result.status === "facts"
          ? "facts alone"
          : (result.status ?? "");
    return h(
      "li",
      null,
      button(
        [
          h("span", { class: `dot ${kind}`, "aria-hidden": "true" }, sign),
          h("span", null, titled(key)),
          h("span", { class: "quiet small" }, about),
        ],
        () => open(key),
        "page-link",
        { "aria-pressed": String(key === chosen) },
      ),
    );
  };
  const open = (key) => {
    chosen = key;
    draw();
    page.parentElement?.parentElement?.scrollTo?.(0, 0);
    page.focus({ preventScroll: true });
  };
  const draw = () => {
    const keys = Object.keys(results);
    show(list, keys.map(link));
    const result = results[chosen];
    if (result === undefined) return;
    const { made, verified, fixed, removed, unverified, problems } = claimsOf(result);
    show(
      page,
      h("h2", null, result.metadata?.title || titled(chosen)),
      h(
        "p",
        { class: "row" },
        made > 0 && [
          chip(`${verified} verified`, "good"),
          fixed > 0 && chip(`${fixed} corrected`, "warn"),
          removed > 0 && chip(`${removed} removed`, "bad"),
          chip(`${unverified} unverified`),
        ],
        typeof result.confidence === "number" &&
          chip(`graded ${Math.round(result.confidence * (result.confidence <= 1 ? 100 : 1))}`),
        result.metadata?.earlier && chip(`of revision ${result.metadata.earlier.revision}`, "warn"),
      ),
      markdown(result.markdown ?? ""),
      problems.length > 0 &&
        !/^#+ Claims that were wrong/m.test(result.markdown ?? "") && [
          h("h3", null, "Claims that were wrong"),
          h(
            "ul",
            { class: "problems" },
            problems.map(({ claim, why, now }) =>
              h(
                "li",
                null,
                h("del", null, claim),
                now ? [" ", h("ins", null, now)] : null,
                h("p", { class: "quiet small" }, why, now ? "" : "; removed"),
              ),
            ),
          ),
        ],
      (result.warnings ?? []).length > 0 &&
        h(
          "details",
          null,
          h("summary", null, plural(result.warnings.length, "note")),
          h(
            "ul",
            null,
            result.warnings.map((text) => h("li", { class: "small" }, text)),
          ),
        ),
    );
  };
  return {
    element,
    update({ values }) {
      results = Object.fromEntries(
        Object.entries(values.results ?? {}).filter(([, result]) => typeof result?.markdown === "string"),
      );
      const keys = Object.keys(results);
      if (chosen === null || results[chosen] === undefined) chosen = keys[0] ?? null;
      const key = JSON.stringify(keys.map((name) => [name, results[name].status, results[name].markdown?.length]));
      if (key === drawn) return;
      drawn = key;
      const all = keys.map((name) => claimsOf(results[name]));
      const count = (name) => all.reduce((total, one) => total + one[name], 0);
      show(
        sum,
        chip(plural(keys.length, "page"), "good"),
        count("made") > 0 && h("span", { class: "quiet" }, `${count("verified")} of ${count("made")} claims verified`),
      );
      draw();
    },
  };
}
