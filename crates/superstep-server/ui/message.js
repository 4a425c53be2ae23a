// The text of a message of a model, a person or a tool.

/** The text of a message, whatever form its content has. */
export function textOf(message) {
  const content = message?.content ?? message?.text;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (typeof part === "string" ? part : (part.text ?? ""))).join("");
}
