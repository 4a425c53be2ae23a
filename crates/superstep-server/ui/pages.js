// Pages of documentation as a reader: the list with the state of each, the page, its claims, and what was wrong in them.

import { api } from "./api.js";
import { linkCitations, linkCode, linkFiles } from "./citations.js";
import { drawDiagrams } from "./diagram.js";
import { button, chip, h, show } from "./dom.js";
import { plural } from "./json.js";
import { markdown } from "./markdown.js";
import { openText } from "./reader.js";

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

/** The results of agents; where none was asked, the pages of facts, which are read when they are opened. */
function resultsOf({ results, outcome }) {
  const written = Object.entries(results ?? {}).filter(([, result]) => typeof result?.markdown === "string");
  if (written.length > 0) return Object.fromEntries(written);
  const files = (outcome?.files ?? []).filter((name) => name.endsWith(".md"));
  const first = files.filter((name) => name === "index.md");
  const all = [...first, ...files.filter((name) => name !== "index.md")];
  return Object.fromEntries(all.map((file) => [file.replace(/\.md$/, ""), { status: "facts", file }]));
}

export function pages() {
  let thread = "";
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
  const text = (result) => {
    const cited = (...place) => openText(thread, ...place);
    const follow = (path, ...lines) => {
      const key = path.replace(/\.md$/, "");
      if (results[key] !== undefined) open(key);
      else cited(path, ...lines);
    };
    const linked = (read) => drawDiagrams(linkCode(linkFiles(linkCitations(markdown(read), cited), follow), cited));
    if (result.markdown !== undefined) return linked(result.markdown);
    const place = h("div", null, h("p", { class: "quiet" }, "Loading…"));
    const shown = (read) => show(place, linked(read));
    const failed = (error) => show(place, h("p", { class: "error" }, error.message));
    api.text(thread, result.file).then(shown, failed);
    return place;
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
      text(result),
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
    update({ thread_id: id, values }) {
      thread = id;
      results = resultsOf(values);
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
