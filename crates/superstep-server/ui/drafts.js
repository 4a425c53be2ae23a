// Text that was typed and not sent, by thread and question, in this tab only: it may be mail. A draft stays until the server
// has what it says.

const key = (id) => `draft:${id}`;

/** The draft of a question or a thread, or an empty one. */
export function draftOf(id) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key(id)) ?? "{}");
    return kept !== null && typeof kept === "object" ? kept : {};
  } catch {
    return {};
  }
}

/** Changes parts of a draft; a part that is undefined goes. */
export function keepDraft(id, parts) {
  const draft = { ...draftOf(id), ...parts };
  if (Object.values(draft).every((part) => part === undefined)) dropDraft(id);
  else sessionStorage.setItem(key(id), JSON.stringify(draft));
}

export const dropDraft = (id) => sessionStorage.removeItem(key(id));
