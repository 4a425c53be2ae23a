// The branches of a thread: which one is current, what two of them differ in, and a way to make another one the current one.

import { api } from "./api.js";
import { changeList } from "./diff.js";
import { button, chip, h, say, show } from "./dom.js";
import { plural } from "./json.js";
import { ago } from "./time.js";

/**
 * The list of branches in an element, which stays hidden while there is one. `pick(checkpoint)` shows a step, `panel` takes a
 * comparison.
 */
export function branchList({ id, panel, pick, refresh }) {
  const element = h("section", { class: "card list", "aria-label": "Branches", hidden: true });
  const compare = async (one, number, head) => {
    const { differences, is_cut: isCut } = await api.compare(id, one.checkpoint_id, head.checkpoint_id);
    const absent = (value) => (value === null ? undefined : value);
    const list = differences.map(({ path, a, b }) => ({ path, before: absent(a), after: absent(b) }));
    show(
      panel,
      h("h2", { tabIndex: -1 }, `Branch ${number} and the current one`),
      h(
        "p",
        { class: "quiet" },
        plural(list.length, "difference"),
        isCut && " are shown, and there are more",
        ": ",
        h("del", null, `branch ${number}`),
        " ",
        h("ins", null, "current"),
      ),
      changeList(list),
    );
    panel.querySelector("h2").focus();
  };
  // An update without values is a step after the end of that branch, which makes it the newest.
  const choose = async (one) => {
    await api.updateState(id, { values: {}, checkpoint_id: one.checkpoint_id });
    say("This branch is the current one now.");
    await refresh();
  };
  const draw = (all, isBusy) => {
    element.hidden = all.length < 2;
    if (element.hidden) return;
    const head = all.find((one) => one.is_head) ?? all[0];
    const act = (work) => (event) => {
      const pressed = event.currentTarget;
      pressed.disabled = true;
      return work()
        .catch((error) => say(error.message, "error"))
        .finally(() => (pressed.disabled = false));
    };
    const line = (one, at) => {
      const number = all.length - at;
      return h(
        "li",
        null,
        button(`Branch ${number}`, () => pick(one.checkpoint_id), "link"),
        one === head && chip("current", "good"),
        h("span", { class: "quiet small" }, plural(one.steps, "step"), ", ", ago(one.created_at)),
        one !== head &&
          button("Compare", act(() => compare(one, number, head)), "link", {
            "aria-label": `Compare branch ${number} with the current one`,
          }),
        one !== head &&
          button("Make current", act(() => choose(one)), "link", {
            "aria-label": `Make branch ${number} the current one`,
            disabled: isBusy,
          }),
      );
    };
    show(element, h("h2", null, `${all.length} branches`), h("ul", { class: "rows" }, all.map(line)));
  };
  return { element, read: async (isBusy) => draw(await api.branches(id), isBusy) };
}
