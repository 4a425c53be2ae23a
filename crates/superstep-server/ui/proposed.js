// What an approval is about, as elements: a letter, a meeting, cells of a workbook, or the arguments of a call.

import { h } from "./dom.js";
import { kept } from "./effect.js";
import { tree } from "./json.js";

const MODES = { dry: "Dry run: nothing leaves", send: "For real" };

const mark = (mode) => MODES[mode] !== undefined && h("span", { class: `mode ${mode}` }, MODES[mode]);

const person = (one) => (one.name ? `${one.name} <${one.email}>` : one.email);

/** A person as a chip. */
const personChip = (one) => h("span", { class: "chip person", title: one.email }, person(one));

const line = (name, ...value) => [h("dt", null, name), h("dd", null, value)];

/** A letter. With `onchange(args)` its text can be edited, and recipients that the agent added can be taken away. */
export function letter(of, args, mode, onchange) {
  let now = args;
  const change = (parts) => onchange((now = { ...now, [of.text_arg]: field.value, ...parts }));
  const field = h("textarea", {
    id: `arg-${of.text_arg}`,
    "aria-label": "Text of the reply",
    rows: Math.max(6, 2 + String(args[of.text_arg] ?? "").split("\n").length),
    oninput: () => change({}),
  });
  field.value = args[of.text_arg] ?? "";
  const cc = h("dd");
  const copies = () => {
    const all = kept(of, now).map((one) => {
      const isOurs = onchange !== undefined && (of.added ?? []).includes(one.email);
      const remove = () => {
        const left = (now[of.added_arg] ?? []).filter((text) => !String(text).toLowerCase().includes(one.email.toLowerCase()));
        change({ [of.added_arg]: left });
        copies();
      };
      return h(
        "span",
        { class: "chip person", title: one.email },
        person(one),
        isOurs && h("button", { type: "button", class: "link", "aria-label": `Remove ${one.email}`, onclick: remove }, "×"),
      );
    });
    cc.replaceChildren(...all);
  };
  copies();
  const element = h(
    "div",
    { class: "card letter" },
    mark(mode),
    h(
      "dl",
      { class: "facts" },
      line("To", of.to.map(personChip)),
      cc.childElementCount > 0 && [h("dt", null, "Cc"), cc],
      line("Subject", of.subject),
    ),
    onchange === undefined ? h("div", { class: "string block body" }, String(args[of.text_arg] ?? "")) : field,
  );
  return onchange === undefined ? element : { element, read: () => now };
}

/** A meeting. */
export function invitation({ title, when, attendees }, mode) {
  return h(
    "div",
    { class: "card" },
    mark(mode),
    h(
      "dl",
      { class: "facts" },
      line("Meeting", h("strong", null, title)),
      line("When", when),
      line("With", attendees.map(personChip)),
    ),
  );
}

/** The cells that a change of a workbook loses, or null. `isWarned` says that the losses stand above as warnings. */
export function cells(args, isWarned) {
  const { losses, cells } = args ?? {};
  if (!Array.isArray(losses)) return null;
  return h(
    "div",
    { class: "card" },
    h("strong", null, "Lost from the workbook"),
    !isWarned &&
      h(
        "ul",
        null,
        losses.map((loss) => h("li", null, String(loss))),
      ),
    Array.isArray(args.warnings) &&
      h(
        "ul",
        { class: "warnings" },
        args.warnings.map((text) => h("li", null, String(text))),
      ),
    Array.isArray(cells) &&
      h(
        "div",
        { class: "scroll" },
        h(
          "table",
          { class: "lost" },
          h(
            "thead",
            null,
            h(
              "tr",
              null,
              ["Sheet", "Cell", "Content"].map((name) => h("th", { scope: "col" }, name)),
            ),
          ),
          h(
            "tbody",
            null,
            cells.map(({ sheet, cell, value }) =>
              h("tr", null, h("td", null, sheet), h("td", null, cell), h("td", null, h("del", null, value))),
            ),
          ),
        ),
      ),
    h("p", { class: "quiet" }, "The version before this step is kept."),
  );
}

/** The arguments that no other part shows. */
export function facts(args) {
  const isShown = (name) => Array.isArray(args.losses) && ["losses", "cells", "warnings", "changes", "tool"].includes(name);
  const rest = Object.entries(args ?? {}).filter(([name]) => !isShown(name));
  return h(
    "dl",
    { class: "args" },
    rest.map(([name, value]) => [
      h("dt", null, name),
      h("dd", null, typeof value === "string" ? h("div", { class: "string block" }, value) : tree(value, 2)),
    ]),
  );
}
