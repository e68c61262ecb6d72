// Asks the server, and says what it has to complain about.

const MOST_KEPT_ALIVE = 60_000; // characters; browsers take 64 KB
let csrf = "";

export const $ = (id) => document.getElementById(id);

export function setToken(token) {
  csrf = token;
}

/** Ask the server; what is sent arrives also if the tab is closed. */
export async function ask(path, options = {}) {
  const headers = { "Content-Type": "application/json", "X-CSRF-Token": csrf };
  const keepalive = options.method === "PUT" && options.body.length < MOST_KEPT_ALIVE;
  const response = await fetch(path, { ...options, headers, keepalive });
  const body = await response.json().catch(() => ({}));
  return { status: response.status, body, detail: (body.detail ?? "The server did not understand this.").replaceAll("`", "") };
}

/** Ask the server; throw what it complains about. */
export async function call(path, options) {
  const { status, body, detail } = await ask(path, options);
  if (status >= 400) throw new Error(detail);
  return body;
}

/** Do some work, and show in the notice what goes wrong. */
export async function tellErrors(work) {
  try {
    await work();
    $("notice").hidden = true;
  } catch (error) {
    $("notice").textContent = error instanceof TypeError ? "The server cannot be reached." : error.message;
    $("notice").hidden = false;
  }
}
