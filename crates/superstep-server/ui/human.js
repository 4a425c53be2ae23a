// Questions in the form of Agent Inbox, and answers to them.

/** The question as Agent Inbox has it, or null. A list of one and JSON in a text are taken too. */
export function human(value) {
  let found = value;
  if (typeof found === "string") {
    try {
      found = JSON.parse(found);
    } catch {
      return null;
    }
  }
  const isList = Array.isArray(found);
  if (isList) found = found.length === 1 ? found[0] : null;
  const request = found?.action_request;
  if (typeof request?.action !== "string") return null;
  const { config = {}, description = "", view = null, mode = null, digest = null, can = [] } = found;
  return { action: request.action, args: request.args ?? {}, config, description, view, mode, digest, can, isList };
}

/** An answer as the question takes it: with the digest that binds it, and in a list unless a digest alone is asked for. */
export function answerTo(asked, type, args) {
  const answer = { type, args, ...(asked.digest === null ? {} : { digest: asked.digest }) };
  return asked.isList || asked.digest === null ? [answer] : answer;
}
