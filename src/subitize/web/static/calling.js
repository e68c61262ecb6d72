// Asks the server, and says what it has to complain about.

let csrf = "";

export const $ = (id) => document.getElementById(id);

export function setToken(token) {
  csrf = token;
}

/** Ask the server; throw what it complains about. */
export async function call(path, options = {}) {
  const headers = { "Content-Type": "application/json", "X-CSRF-Token": csrf };
  const response = await fetch(path, { ...options, headers });
  const body = response.status === 204 ? {} : await response.json();
  if (!response.ok) throw new Error(body.detail);
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
