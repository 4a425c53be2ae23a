// The message box at the foot of a conversation: Enter sends, Shift+Enter breaks the line, files are dropped on the page. What is
// typed stays in this tab until the server has it.

import { button, h, show } from "./dom.js";
import { draftOf, dropDraft, keepDraft } from "./drafts.js";
import { sizeOf, uploader } from "./files.js";

const TALLEST = 260;

/**
 * `send(text, files, onaccepted)` takes a message; `stop()` ends the run that goes on.
 * @param {{
 *   key: string, label: string, send: Function, stop: Function, takesFiles?: boolean, many?: boolean, area?: any, hints?: string[]
 * }} options
 */
export function composer({ key, label, send, stop, takesFiles = false, many = false, area = null, hints = [] }) {
  let isBusy = false;
  let files = draftOf(key).files ?? [];
  const field = h("textarea", { rows: 1, "aria-label": label, placeholder: label, oninput: () => typed() });
  const submit = h("button", { type: "submit", class: "primary" }, "Send");
  const halt = button("Stop", () => stop(), "stop", { hidden: true });
  const problem = h("p", { class: "error", role: "alert", hidden: true });
  const attached = h("div", { class: "row attached" });
  const offers = h(
    "div",
    { class: "offers" },
    hints.map((hint) => button(hint, () => fill(hint), "link")),
  );
  const attach = takesFiles ? uploader((file) => add(file), { area, many, label: many ? "Attach files" : undefined }) : null;

  const grow = () => {
    field.style.height = "auto";
    field.style.height = `${Math.min(TALLEST, field.scrollHeight + 2)}px`;
  };
  const keep = () => keepDraft(key, { text: field.value || undefined, files: files.length > 0 ? files : undefined });
  const typed = () => {
    keep();
    grow();
    submit.disabled = isBusy;
  };
  const fill = (text) => {
    field.value = text;
    typed();
    field.focus();
  };
  const drawFiles = () =>
    show(
      attached,
      files.map((file) =>
        h(
          "span",
          { class: "chip" },
          file.name,
          h("span", { class: "quiet" }, ` ${sizeOf(file.size)} `),
          button("×", () => remove(file), "link", { "aria-label": `Remove ${file.name}` }),
        ),
      ),
    );
  const remove = (file) => {
    files = files.filter((other) => other !== file);
    keep();
    drawFiles();
  };
  const add = (file) => {
    files = [...files.filter((other) => other.id !== file.id), file];
    keep();
    drawFiles();
  };
  const give = (event) => {
    event.preventDefault();
    if (isBusy) return;
    if (field.value.trim() === "") return field.focus();
    const text = field.value;
    problem.hidden = true;
    const taken = send(text, files, () => {
      if (field.value === text) field.value = "";
      files = [];
      drawFiles();
      if (field.value === "") dropDraft(key);
      grow();
    });
    Promise.resolve(taken).catch((error) => {
      problem.textContent = error.message;
      problem.hidden = false;
    });
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) give(event);
  });
  field.value = draftOf(key).text ?? "";
  drawFiles();
  const element = h(
    "form",
    { class: "composer", onsubmit: give },
    problem,
    h("div", { class: "box" }, attached, h("div", { class: "line" }, attach, field, halt, submit)),
    hints.length > 0 && offers,
  );
  requestAnimationFrame(grow);
  return {
    element,
    fill,
    focus: () => field.focus(),
    /** While a run goes on, Stop takes the place of Send; where messages are taken, the next one can be written. */
    busy(now, takesMessages) {
      isBusy = now;
      field.hidden = now && !takesMessages;
      submit.hidden = now;
      halt.hidden = !now;
    },
    label(text) {
      field.placeholder = text;
      field.setAttribute("aria-label", text);
    },
  };
}
