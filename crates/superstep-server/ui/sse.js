// Server-sent events of a response.

/**
 * Passes each event to `onevent(name, data, id)` until the response ends. An event without data has null.
 * @param {Response} response
 * @param {(name: string, data: any, id: string | null) => void} onevent
 */
export async function events(response, onevent) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    buffer += value.replaceAll("\r\n", "\n");
    for (let end = buffer.indexOf("\n\n"); end >= 0; end = buffer.indexOf("\n\n")) {
      const block = buffer.slice(0, end);
      buffer = buffer.slice(end + 2);
      one(block, onevent);
    }
  }
}

function one(block, onevent) {
  let name = "message";
  let id = null;
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("id:")) id = line.slice(3).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  if (data.length > 0 || name !== "message") onevent(name, data.length > 0 ? JSON.parse(data.join("\n")) : null, id);
}
