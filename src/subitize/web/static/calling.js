// Asks the server, and says what it has to complain about.

const MOST_KEPT_ALIVE = 60_000; // characters; browsers take 64 KB
let csrf = "";
let labels = {}; // what this page calls the fields that complaints name

export const $ = (id) => document.getElementById(id);

export function setToken(token) {
  csrf = token;
}

export function setLabels(named) {
  labels = named;
}

/** Ask the server; what is sent arrives also if the tab is closed. */
export async function ask(path, options = {}) {
  const headers = { "Content-Type": "application/json", "X-CSRF-Token": csrf };
  const keepalive = options.method === "PUT" && options.body.length < MOST_KEPT_ALIVE;
  const response = await fetch(path, { ...options, headers, keepalive });
  const body = await response.json().catch(() => ({}));
  const detail = String(body.detail ?? "The server did not understand this.");
  const fields = [...detail.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  return { status: response.status, body, fields, detail: detail.replace(/`(\w+)`/g, (_, name) => (labels[name] ? `“${labels[name]}”` : name)) };
}

/** Ask the server; throw what it complains about. */
export async function call(path, options) {
  const { status, body, fields, detail } = await ask(path, options);
  if (status >= 400) throw Object.assign(new Error(detail), { fields });
  return body;
}

/** Do some work, show in the notice what goes wrong, and return it. */
export async function tellErrors(work) {
  try {
    await work();
    $("notice").hidden = true;
  } catch (error) {
    $("notice").textContent = error instanceof TypeError ? "The server cannot be reached." : error.message;
    $("notice").hidden = false;
    return error;
  }
}
