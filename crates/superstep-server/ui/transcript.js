// The conversation of a thread as its values hold it, for servers that make no view of it.

const line = (text, style = "plain", weight = "say") => ({ kind: "line", weight, spans: [{ style, text }] });
const faint = (text) => line(text, "faint", "note");
const turn = (role, text, blocks = [], calls = []) => ({ role, at: null, run: null, text, notices: [{ blocks }], calls });

/** @returns {import("./adapter.js").Turn[]} */
export function turnsOf(values) {
  const out = [];
  if (values.email_input) out.push(mail(values.email_input));
  if (Array.isArray(values.message_history)) out.push(...answers(values));
  else if (values.request?.root !== undefined) out.push(...documentation(values));
  else if (Array.isArray(values.analysis_history)) out.push(...messages(values.analysis_history));
  else if (Array.isArray(values.messages) && !values.email_input) out.push(...messages(values.messages));
  else if (values.email_input) out.push(...messages((values.messages ?? []).slice(1)));
  if (values.problem?.instruction !== undefined) out.push(...workbook(values));
  if (typeof values.analysis_output === "string" && values.approved)
    out.push(turn("agent", null, [{ kind: "announcement", lines: [[{ style: "good", text: "Approved: this is the analysis." }]] }]));
  return out.length > 0 ? out : plain(values);
}

/** The text of a message, whatever form its content has. */
export function textOf(message) {
  const content = message?.content ?? message?.text;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (typeof part === "string" ? part : (part.text ?? ""))).join("");
}

/** Messages in order; calls of tools stand with the message that made them. */
function messages(all) {
  const out = [];
  const calls = new Map();
  for (const message of all) {
    const kind = message?.type ?? message?.role;
    if (kind === "system") continue;
    if (kind === "tool") {
      const call = calls.get(message.tool_call_id);
      if (call !== undefined) call.result = textOf(message);
      continue;
    }
    const made = (message?.tool_calls ?? []).map((call) => ({
      name: call.name ?? call.function?.name ?? "tool",
      args: call.args ?? call.function?.arguments ?? {},
      id: call.id,
    }));
    for (const call of made) calls.set(call.id, call);
    out.push(turn(kind === "human" || kind === "user" ? "person" : "agent", textOf(message) || null, [], made));
  }
  return out.filter((one) => one.text !== null || one.calls.length > 0);
}

function mail(input) {
  const { subject = input.mail?.subject ?? "", from = input.mail?.from, text = input.mail?.text ?? input.mail?.body } = input;
  if (typeof input.mail === "string") return turn("mail", input.mail);
  const sender = typeof from === "string" ? from : [from?.name, from?.email && `<${from.email}>`].filter(Boolean).join(" ");
  return turn(
    "mail",
    typeof text === "string" ? text : null,
    [line(subject, "strong"), sender === "" ? null : faint(`From ${sender}`)].filter(Boolean),
  );
}

function answers(values) {
  const out = values.message_history.flatMap((answer) => [
    turn("person", answer.question),
    turn("agent", answer.answer, answerBlocks(answer)),
  ]);
  const last = values.message_history.at(-1);
  if (values.query && values.query !== last?.question) out.push(turn("person", values.query));
  return out;
}

function answerBlocks({ table, understood, sources = [], status, error }) {
  const from = [...new Set(sources.map((source) => `${source.operation} · ${source.status}`))];
  return [
    table && { kind: "table", columns: table.columns, rows: table.rows },
    error && line(error.message ?? error.code, "bad"),
    status === "refused" && faint("Not asked: this question is refused."),
    understood && faint(`Understood as: ${understood}`),
    from.length > 0 && faint(`Source: ${from.join(", ")}`),
  ].filter(Boolean);
}

function documentation({ request, outcome, results }) {
  const asked = turn("person", `Document \`${request.root}\``);
  if (!outcome) return [asked];
  const blocks = [faint(`Written to ${outcome.output}`)];
  for (const [name, why] of Object.entries(outcome.failed ?? {})) blocks.push(line(`${name}: ${why}`, "bad"));
  const count = Object.keys(results ?? {}).length;
  return [asked, turn("agent", outcome.status === "failed" ? "No page could be written." : `${count} pages are written.`, blocks)];
}

function workbook({ problem, op_log: log = [], version, status, verification, messages: said = [] }) {
  if (status === "running" || status === undefined || said.length === 0) return [];
  const blocks = (verification?.warnings ?? []).map((text) => line(text, "bad"));
  if (verification) {
    const { cells, formats, sheets, new_errors: errors = [] } = verification;
    blocks.push(
      faint(
        `${log.length} steps. Checked: ${cells} cells, ${formats} formats, ${sheets} sheets changed, ${errors.length} new errors. The input is unchanged.`,
      ),
    );
  }
  if (version && version !== problem.workbook) {
    const name = (problem.file || "workbook.xlsx").replace(/(\.xls[xm])?$/i, "-result.xlsx");
    blocks.push({
      kind: "file",
      weight: "data",
      name,
      about: "The workbook after the last step",
      media_type: "application/vnd.ms-excel",
      size: null,
      sha256: version,
    });
  }
  return [turn("agent", null, blocks)];
}

/** The values of a graph that has no messages: texts as text, rows as a table, the rest as lines. */
function plain(values) {
  const blocks = [];
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === "" || value === undefined) continue;
    const isRows =
      Array.isArray(value) && value.length > 0 && value.every((row) => row !== null && typeof row === "object" && !Array.isArray(row));
    blocks.push(line(name.replaceAll("_", " "), "faint", "note"));
    if (isRows) {
      const columns = [...new Set(value.flatMap(Object.keys))];
      blocks.push({ kind: "table", columns, rows: value.map((row) => columns.map((column) => text(row[column]))) });
    } else if (/^[0-9a-f]{64}$/.test(value))
      blocks.push({ kind: "file", weight: "data", name, about: "", media_type: "", size: null, sha256: value });
    else blocks.push({ kind: "piece", text: text(value) }, { kind: "end_of_pieces" });
  }
  return blocks.length === 0 ? [] : [turn("agent", null, blocks)];
}

const text = (value) => (value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value));
