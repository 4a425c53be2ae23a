// What changed between two values, by the path to each change.

import { h } from "./dom.js";
import { brief } from "./json.js";

/** The changes as `{path, before, after}`; a side that is not there is undefined. */
export function changes(before, after, path = "") {
  if (Object.is(before, after)) return [];
  const nested = (value) => value !== null && typeof value === "object";
  if (!nested(before) || !nested(after) || Array.isArray(before) !== Array.isArray(after)) {
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
  }
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) =>
    changes(before[name], after[name], `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`),
  );
}

/** A table of the changes. */
export const diff = (before, after) => changeList(changes(before ?? {}, after ?? {}));

/** A table of changes that are known. */
export function changeList(list) {
  if (list.length === 0) return h("p", { class: "quiet" }, "Nothing changed.");
  return h(
    "ul",
    { class: "diff" },
    list
      .slice(0, 200)
      .map(({ path, before, after }) =>
        h(
          "li",
          null,
          h("code", { class: "path" }, path === "" ? "/" : path),
          before !== undefined && h("del", null, brief(before, 400)),
          after !== undefined && h("ins", null, brief(after, 400)),
        ),
      ),
    list.length > 200 && h("li", { class: "quiet" }, `${list.length - 200} more changes`),
  );
}

/** The lines of two texts, those that are in one of them marked. */
export function lines(before, after) {
  const a = before.split("\n");
  const b = after.split("\n");
  // The lengths of the longest common rest for each pair of lines; texts of answers are short, longer ones are shown whole.
  if (a.length * b.length > 250000) return h("div", { class: "lines" }, a.map(line("del", "-")), b.map(line("ins", "+")));
  const rest = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      rest[i][j] = a[i] === b[j] ? rest[i + 1][j + 1] + 1 : Math.max(rest[i + 1][j], rest[i][j + 1]);
  const out = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push(h("div", null, "  ", a[i]));
      i++;
      j++;
    } else if (i < a.length && (j >= b.length || rest[i + 1][j] >= rest[i][j + 1])) out.push(line("del", "-")(a[i++]));
    else out.push(line("ins", "+")(b[j++]));
  }
  return h("div", { class: "lines" }, out);
}

const line = (tag, sign) => (text) => h("div", null, h(tag, null, `${sign} ${text}`));
