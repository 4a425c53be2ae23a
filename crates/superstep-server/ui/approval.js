// A call that a person accepts, edits, answers or ignores. What would be done stands above its button as data: a letter with its
// true recipients, a meeting, the cells that are lost, or the arguments. An edit takes the place of what was proposed.

import { lines } from "./diff.js";
import { button, h, show } from "./dom.js";
import { draftOf, keepDraft } from "./drafts.js";
import { effectOf, kept } from "./effect.js";
import { answerTo } from "./human.js";
import { editor, plural, pretty } from "./json.js";
import { markdown } from "./markdown.js";
import { cells, facts, invitation, letter } from "./proposed.js";

/** The question with its buttons. `answer(value, isHeld)` sends it and gives a promise. `act(name)` is for keys. */
export function approval(asked, id, value, answer) {
  const { action, args, config, description, view, card, isInbox } = asked;
  const draft = draftOf(id);
  let edited = draft.args ?? null;
  let form = null;
  let isBusy = false;
  const shown = h("div", { class: "proposed" });
  const changed = h("div", { class: "changed" });
  const badge = h("span", { class: "badge", hidden: true }, "edited");
  const isLoss = Array.isArray(args.losses);
  const warnings = h("div");
  const place = h("div");
  const problem = h("p", { class: "error", role: "alert", hidden: true });

  const now = () => edited ?? args;
  const isEdited = () => edited !== null && pretty(edited) !== pretty(args);
  const warned = view?.warnings ?? card?.warnings?.filter(({ level }) => level !== "info") ?? [];
  const open = () => warned.filter(({ address }) => !address || view?.letter === undefined || isRecipient(view.letter, address));
  const isRecipient = (of, address) => [...of.to, ...kept(of, now())].some((one) => one.email === address);

  const give = async (type, given, isHeld) => {
    if (isBusy) return;
    isBusy = true;
    problem.hidden = true;
    element.setAttribute("aria-busy", "true");
    for (const button of element.querySelectorAll("button")) button.disabled = true;
    try {
      await answer(answerTo(asked, type, given), isHeld);
    } catch (error) {
      isBusy = false;
      element.removeAttribute("aria-busy");
      problem.textContent = error.message;
      problem.hidden = false;
      buttons();
    }
  };
  const accept = () => {
    if (form !== null && form.read() === null) return;
    const { isReal } = effectOf(value, { args: { args: now() } });
    if (isEdited()) give("edit", { action, args: edited }, isReal);
    else give("accept", null, isReal);
  };
  // A second step, and not by the same key.
  const acceptOrAsk = () => (open().length > 0 ? confirm() : accept());
  const acts = {
    accept: config.allow_accept && acceptOrAsk,
    edit: config.allow_edit && !isLoss && (() => edit()),
    respond: config.allow_respond && (() => reply()),
    ignore: config.allow_ignore && (() => give("ignore", null, false)),
  };

  const draw = () => {
    badge.hidden = !isEdited();
    const all = open();
    show(
      warnings,
      all.length > 0 &&
        h(
          "div",
          { class: "warnings" },
          h("strong", null, "Check this first"),
          h(
            "ul",
            null,
            all.map(({ text }) => h("li", null, text)),
          ),
        ),
    );
    show(
      changed,
      isEdited() && [
        h("strong", null, "Your changes"),
        view?.letter && typeof args[view.letter.text_arg] === "string"
          ? lines(args[view.letter.text_arg], String(now()[view.letter.text_arg]))
          : lines(pretty(args), pretty(edited)),
      ],
    );
    const button = place.querySelector("[data-accept]");
    if (button === null) return;
    button.textContent = all.length === 0 ? acceptLabel() : `${acceptLabel()}…`;
    button.className = all.length === 0 ? "primary" : "";
  };
  const acceptLabel = () => {
    const { accept } = effectOf(value, { args: { args: now() } });
    if (accept !== "Accept") return accept;
    if (isLoss && Array.isArray(args.cells)) return `Delete ${plural(args.cells.length, "cell")}`;
    return isEdited() ? "Accept with your changes" : (card?.accept_label ?? accept);
  };
  const changedTo = (value) => {
    edited = value;
    keepDraft(id, { args: pretty(value) === pretty(args) ? undefined : value });
    draw();
  };
  const proposed = () => {
    form = null;
    if (view?.letter) show(shown, letter(view.letter, args, asked.mode));
    else if (view?.meeting) show(shown, invitation(view.meeting, asked.mode));
    else show(shown, cells(args, warned.length > 0), facts(args));
  };
  const edit = () => {
    if (form !== null) return void shown.querySelector("textarea, input")?.focus();
    if (view?.letter) {
      form = letter(view.letter, now(), asked.mode, changedTo);
      show(shown, form.element);
    } else {
      form = fields(now(), changedTo);
      show(shown, form.element);
    }
    buttons();
    shown.querySelector("textarea, input")?.focus();
  };
  const discard = () => {
    edited = null;
    keepDraft(id, { args: undefined });
    proposed();
    buttons();
  };
  const reply = () => {
    const field = h("textarea", {
      rows: 3,
      "aria-label": "Your answer",
      placeholder: "Say what to do instead",
      oninput: () => keepDraft(id, { respond: field.value || undefined }),
    });
    field.value = draftOf(id).respond ?? "";
    const send = () => (field.value.trim() === "" ? field.focus() : give("response", field.value, false));
    show(
      place,
      field,
      row(
        button("Send the answer", send, "primary"),
        button("Back", () => buttons()),
      ),
    );
    field.focus();
  };
  const confirm = () => {
    const back = button("Back", () => buttons());
    show(
      place,
      h("p", { class: "confirm" }, "Read the warning above first."),
      row(back, button(`${acceptLabel()} anyway`, accept, "danger")),
    );
    back.focus();
  };
  const row = (...all) => h("div", { class: "row" }, all);
  const buttons = () => {
    const accepts = acts.accept && button("", acts.accept);
    accepts?.setAttribute?.("data-accept", "");
    show(
      place,
      row(
        accepts,
        acts.edit && form === null && button("Edit", acts.edit),
        form !== null && button("Discard the edit", discard),
        acts.respond && button("Respond", acts.respond),
        acts.ignore && button("Ignore", acts.ignore),
      ),
      (view?.options ?? []).length > 0 &&
        config.allow_respond &&
        choices(
          view.options.map((label) => ({ label, answer: label })),
          ({ answer }) => give("response", answer, false),
        ),
    );
    draw();
  };

  const element = h(
    "section",
    { class: "question", "aria-label": `Question: ${view?.title ?? action}` },
    warnings,
    h(isInbox ? "h3" : "h2", { class: "asks" }, view?.title ?? (isLoss ? "Delete these cells?" : card?.title) ?? named(action), " ", badge),
    view?.text && h("p", { class: "string block" }, view.text),
    shown,
    view === null && !isLoss && description !== "" && markdown(description),
    changed,
    problem,
    place,
    view?.mail &&
      h(
        "details",
        { class: "source", open: isInbox },
        h("summary", null, "The mail"),
        h("div", { class: "letter-text", tabIndex: 0 }, view.mail),
      ),
  );
  element.act = (name) => acts[name] && !isBusy && acts[name]();
  proposed();
  buttons();
  if (draft.args !== undefined && acts.edit) edit();
  if (draft.respond !== undefined && acts.respond) reply();
  return element;
}

/** The name of a tool as words. */
const named = (action) => action.replaceAll("_", " ").replace(/^\w/, (first) => first.toUpperCase());

/** A button for each option. Those that the agent lists have the number by which it knows them. */
export function choices(options, choose, isNumbered = true) {
  const one = (option, at) =>
    button(
      [isNumbered && options.length > 1 && [h("span", { class: "number" }, String(at + 1)), " "], option.label],
      () => choose(option),
      option.danger ? "danger" : "",
    );
  return h("div", { class: "choices" }, options.map(one));
}

/** A field for each argument. `read()` gives the arguments, or null while one of them is not JSON. */
function fields(args, onchange) {
  const all = Object.entries(args ?? {}).map(([name, value]) => {
    const id = `arg-${name}`;
    if (typeof value === "string") {
      const field = h("textarea", { id, rows: Math.min(14, 1 + value.split("\n").length) });
      field.value = value;
      return { name, id, element: field, read: () => ({ value: field.value }) };
    }
    const json = editor(value, name);
    json.field.id = id;
    return { name, id, element: json.element, read: json.read };
  });
  const read = () => {
    const out = {};
    for (const { name, read } of all) {
      const got = read();
      if (got === null) return null;
      out[name] = got.value;
    }
    return out;
  };
  const changed = () => {
    const got = read();
    if (got !== null) onchange(got);
  };
  const element = h(
    "div",
    { class: "form", oninput: changed },
    all.map(({ name, id, element }) => h("div", { class: "field" }, h("label", { for: id }, name), element)),
  );
  return { element, read };
}
