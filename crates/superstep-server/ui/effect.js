// The words for what an answer brings about: on its button, while it waits, and afterwards. They come from the data of the
// question, never from its description.

import { human } from "./human.js";
import { brief } from "./json.js";

const mailTo = (recipients) => {
  const [first, ...others] = recipients.map((one) => one.email);
  return others.length === 0 ? (first ?? "nobody") : `${first} and ${others.length} more`;
};

/** `{accept, doing, done, title, isReal}` of a question in the form of Agent Inbox and, where there is one, its answer. */
export function effectOf(value, answer) {
  const asked = human(value);
  if (asked === null)
    return { accept: "Answer", doing: "Sending the answer", done: "Answered.", title: "The answer", isReal: false };
  const { action, view, mode } = asked;
  const given = (Array.isArray(answer) ? answer[0] : answer)?.args?.args;
  const isReal = mode === "send" || asked.can.includes("send");
  if (view?.letter) {
    const to = mailTo([...view.letter.to, ...kept(view.letter, given ?? asked.args)]);
    if (!isReal)
      return {
        accept: "Approve (dry run)",
        doing: "Approving",
        done: "Approved. Nothing was sent.",
        title: `The reply to ${to}`,
        isReal,
      };
    return { accept: `Send to ${to}`, doing: `Sending to ${to}`, done: `Sent to ${to}.`, title: `The reply to ${to}`, isReal };
  }
  if (view?.meeting) {
    const title = `“${brief(given?.title ?? view.meeting.title, 40)}”`;
    if (!isReal)
      return { accept: "Approve (dry run)", doing: "Approving", done: "Approved. Nothing was scheduled.", title, isReal };
    return { accept: "Schedule the meeting", doing: `Scheduling ${title}`, done: `Scheduled ${title}.`, title, isReal };
  }
  return { accept: "Accept", doing: `Doing ${action}`, done: "Answered.", title: action, isReal };
}

/** The recipients of copies, without those that an edit took away. */
export function kept(letter, args) {
  const left = (args?.[letter.added_arg] ?? []).map((text) => String(text).toLowerCase());
  const isLeft = (email) => !(letter.added ?? []).includes(email) || left.some((text) => text.includes(email.toLowerCase()));
  return (letter.cc ?? []).filter((one) => isLeft(one.email));
}
