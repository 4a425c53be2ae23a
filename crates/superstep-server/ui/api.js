// Calls of the server's API, with the token of this tab if it has one.

const TOKEN = "superstep-token";

/** The server wants a token, or another one. */
export class NoToken extends Error {}

export function setToken(token) {
  sessionStorage.setItem(TOKEN, token);
}

/** The JSON that the server answers; an error with its own words if it says no. */
export async function call(method, path, body) {
  const headers = { "content-type": "application/json" };
  const token = sessionStorage.getItem(TOKEN);
  if (token) {
    headers["x-api-key"] = token;
  }
  const reply = await fetch(path, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const said = reply.status === 204 ? null : await reply.json();
  if (reply.status === 401) {
    throw new NoToken(said.detail);
  }
  if (!reply.ok) {
    throw new Error(`${reply.status}: ${said?.detail ?? reply.statusText}`);
  }
  return said;
}
