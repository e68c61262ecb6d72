// The annotation page: shows a question at a time, keeps every answer, goes on by itself.

import { $, ask, setToken } from "./calling.js";
import { makeField } from "./fields.js";
import { Outbox } from "./outbox.js";
import { preload, showPictures } from "./pictures.js";

const AHEAD = 4;
const FEEDBACK_MS = 200;
const RETRY_MS = 2000;

let me, outbox, field, pictures, shownAt;
let coming = []; // pages to be answered, as the server gave them
const answered = new Set(); // pages that are finished here; the server may not know it yet when it is asked for more
let visited = []; // questions that were answered, {page, number}, the earliest first
let cursor = 0; // which of them is shown; visited.length: a new one
let shown = null; // what is shown now, {page, number}
let progress = { done: 0, left: 0 };
let hasStored = false; // something was stored since the page was opened
let fetchProblem = ""; // why no page came
let expected = null; // the right answer, in training
let isTold = false; // the right answer is shown, and Enter goes on

async function start() {
  const { status, body, detail } = await ask("api/me").catch(() => ({ status: 0, detail: "The server cannot be reached; reload the page." }));
  if (status !== 200) return notify(detail);
  me = body;
  setToken(me.csrf_token);
  $("home").hidden = me.role !== "owner";
  $("instructions-text").replaceChildren(...me.instructions.map(makeParagraph));
  $("examples").replaceChildren(...me.examples.flatMap(([shown, said]) => [makeElement("dt", shown), makeElement("dd", `→ ${said}`)]));
  showCode("return-code", me.return_code);
  visited = me.finished.map((id) => ({ page: { id }, number: null })); // its questions are not known yet
  cursor = visited.length;
  outbox = new Outbox(me.name, send, { onChange: showState, onRefused: takeBack });
  if (me.consent) return askConsent(me.consent);
  await introduce();
}

// How to answer is shown once, before the first picture.
const introKey = () => `subitize begun ${new URL(".", document.baseURI).pathname} ${me.name}`;

function introduce() {
  if (me.role !== "annotator" || me.has_failed || visited.length || localStorage.getItem(introKey())) return begin();
  toggleHelp();
  $("instructions").classList.add("first");
  $("keys").hidden = $("help").disabled = true;
  $("begin").hidden = false;
  $("begin").focus();
}

async function begin() {
  if (!$("begin").hidden) {
    $("begin").hidden = true;
    toggleHelp();
    $("instructions").classList.remove("first");
    $("keys").hidden = $("help").disabled = false;
    localStorage.setItem(introKey(), "yes");
  }
  await outbox.flush();
  await next();
}

function askConsent(text) {
  $("consent-text").replaceChildren(...text.split("\n\n").map(makeParagraph));
  $("consent").hidden = false;
  $("agree").focus();
}

async function decline() {
  $("consent").hidden = true;
  $("finished").hidden = false;
  $("finished-text").textContent = "You have not agreed to take part, and nothing was shown. You may close this page.";
  $("finished-title").focus();
  await showCompletion();
}

function showCode(id, code) {
  $(id).hidden = !code;
  $(id).querySelector("strong").textContent = code ?? "";
}

async function agree() {
  const { status, detail } = await ask("api/consent", { method: "POST" }).catch(() => ({ status: 0, detail: "The server cannot be reached." }));
  if (status !== 204) return notify(detail);
  $("consent").hidden = true;
  await introduce();
}

function makeElement(kind, text) {
  const made = document.createElement(kind);
  made.textContent = text;
  return made;
}

const makeParagraph = (text) => makeElement("p", text);

async function send({ page, number, given }) {
  const path = `api/pages/${page}/questions/${number}`;
  const turn = ++turns;
  const { status, body, detail } = await ask(path, { method: "PUT", body: JSON.stringify(given) });
  if (status === 200) {
    takeProgress(turn, body);
    expected = body.expected;
    hasStored = true;
    fetchProblem = ""; // the server can be reached
  }
  return { status, detail };
}

let [turns, heard] = [0, 0];

// Of two replies, that to the later request tells how far it is, whichever comes first.
function takeProgress(turn, told) {
  if (turn > heard) [heard, progress] = [turn, told];
}

async function fetchPages() {
  const turn = ++turns;
  const { status, body, detail } = await ask(`api/pages?count=${AHEAD}`).catch(() => ({ status: 0 }));
  fetchProblem = status === 200 ? "" : (detail ?? "The server cannot be reached.");
  if (fetchProblem) return;
  takeProgress(turn, body.progress);
  const known = new Set([...answered, ...coming.map((page) => page.id)]);
  coming.push(...body.pages.filter((page) => !known.has(page.id) && firstOpen(page) >= 0));
  preload(coming.flatMap((page) => page.pictures));
}

function saidTo(page, number) {
  return outbox.find(page.id, number) ?? page.questions[number].said;
}

function firstOpen(page) {
  return page.questions.findIndex((question, number) => question.is_asked && !saidTo(page, number));
}

async function next() {
  if (cursor < visited.length) return show(visited[cursor]);
  coming = coming.filter((page) => firstOpen(page) >= 0);
  if (!coming.length) {
    await outbox.flush();
    await fetchPages();
  } else if (coming.length < AHEAD - 1) {
    fetchPages();
  }
  const page = coming[0];
  if (page) return showNew(page);
  shown = null;
  $("page").hidden = true;
  if (fetchProblem || outbox.entries.length) return waitForMore();
  const { body: now } = await ask("api/me").catch(() => ({ body: me }));
  if (progress.left > 0 && !now.has_failed) return waitForMore();
  $("failed").hidden = !now.has_failed;
  $("finished").hidden = now.has_failed;
  $("finished-text").textContent = tellEnd();
  showState();
  if (!now.has_failed) $("finished-title").focus();
  await showCompletion();
}

function tellEnd() {
  const [what, did] = me.role === "annotator" ? ["answer", "answered"] : ["check", "checked"];
  const done = progress.done === 1 ? "1 page" : `${progress.done} pages`;
  const told = progress.done ? `You have ${did} ${done}, and all of it is stored. ` : "";
  return `${told}There is nothing left for you to ${what}; you may close this page.`;
}

// Where the server cannot be reached, what comes next is asked for until it is there.
let waitingTimer;

function waitForMore() {
  showState();
  clearTimeout(waitingTimer);
  waitingTimer = setTimeout(() => (shown ? null : next()), RETRY_MS);
}

// What was answered on a page before it was opened here can be gone back to.
function showNew(page) {
  const number = firstOpen(page);
  const known = new Set(visited.filter((one) => one.page.id === page.id).map((one) => one.number));
  const before = listAsked(page).filter((one) => one < number && !known.has(one));
  visited.push(...before.map((one) => ({ page, number: one })));
  cursor = visited.length;
  return show({ page, number });
}

let showing = 0;

async function showCompletion() {
  const { status, body } = await ask("api/completion").catch(() => ({ status: 0 }));
  if (status !== 200) return;
  showCode("done-code", body.code);
  if (!body.url) return;
  $("completion").href = body.url;
  $("completion").hidden = false;
}

async function show(which) {
  const turn = ++showing;
  if (!which.page.questions) {
    const { status, body, detail } = await ask(`api/pages/${which.page.id}`).catch(() => ({ status: 0, detail: "The server cannot be reached." }));
    if (turn !== showing) return; // something else was asked for meanwhile
    if (status !== 200) return notify(detail);
    Object.assign(which.page, body);
    which = visitAll(which);
  }
  const { page, number } = which;
  const question = page.questions[number];
  const isClicked = question.form === "click";
  if (shown?.page.id !== page.id || isClicked) {
    pictures = showPictures($("pictures"), page.pictures, isClicked ? (point) => field.add(point) : null);
    $("pictures").classList.toggle("clickable", isClicked);
  }
  shown = which;
  $("form").inert = false;
  shownAt = performance.now();
  $("finished").hidden = true;
  $("page").hidden = false;
  $("prompt").hidden = page.prompt === null;
  $("prompt").textContent = page.prompt ?? "";
  $("wording").textContent = question.wording;
  $("feedback").textContent = "";
  showOthers(page.purpose, question);
  $("show-linked").hidden = !page.linked.length;
  toggleLinked(false);
  const draft = readDraft(page.id, number);
  field = makeField(question, { onInput: askFeedback, onChoice: save, pictures });
  $("field").replaceChildren(field.element);
  restore(saidTo(page, number), draft);
  showState();
  field.focus();
}

// Going back to a page that was finished before leads to its last question, and on to those before it.
function visitAll(which) {
  const place = visited.indexOf(which);
  const asked = listAsked(which.page).map((number) => ({ page: which.page, number }));
  visited.splice(place, 1, ...asked);
  cursor = place + asked.length - 1;
  return visited[cursor];
}

function listAsked(page) {
  return page.questions.flatMap((question, number) => (question.is_asked ? [number] : []));
}

// The pictures of a prompt's parts are loaded when they are asked for.
function toggleLinked(isOpen) {
  if ($("show-linked").hidden) isOpen = false;
  $("linked").hidden = !isOpen;
  $("show-linked").setAttribute("aria-expanded", String(isOpen));
  $("linked").replaceChildren(...(isOpen ? shown.page.linked.map(showLinked) : []));
}

function showLinked({ picture, prompt }) {
  const [figure, caption, image] = [document.createElement("figure"), document.createElement("figcaption"), new Image()];
  image.src = picture;
  image.alt = "";
  caption.textContent = prompt;
  figure.append(image, caption);
  return figure;
}

// Reviewers and adjudicators see what others answered; each answer can be taken by a key.
const OTHERS_TITLES = {
  review: "Somebody answered this. Confirm it, or give your own answer.",
  adjudication: "People answered this differently. Take one of their answers, or give your own.",
};

function showOthers(purpose, { others, form }) {
  $("others").hidden = !others.length;
  $("others-title").textContent = OTHERS_TITLES[purpose] ?? "";
  $("others-list").replaceChildren(...others.map((other, place) => showOther(other, place, form, purpose)));
}

function showOther({ text, value, people }, place, form, purpose) {
  const entry = document.createElement("li");
  const button = document.createElement("button");
  const key = document.createElement("kbd");
  button.type = "button";
  key.textContent = `Alt+${place + 1}`;
  const who = purpose === "review" ? "confirm" : people === 1 ? "one person" : `${people} people`;
  button.append(`${form === "click" ? `${value} marked` : text} (${who}) `, key);
  button.addEventListener("click", () => takeAnswer(place));
  entry.append(button);
  return entry;
}

function takeAnswer(place) {
  const other = shown?.page.questions[shown.number].others[place];
  if (!other || $("form").inert) return;
  field.set(other.text);
  save();
}

function restore(said, draft) {
  const from = draft ?? said;
  field.set(said?.is_skipped && !draft ? "" : (from?.text ?? ""));
  $("unsure").checked = from?.is_unsure ?? false;
  $("flag").checked = from?.is_flagged ?? false;
  $("comment").value = from?.comment ?? "";
  $("reason").value = "";
}

function collect(text, isSkipped) {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return {
    key: Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""),
    text,
    is_skipped: isSkipped,
    is_unsure: $("unsure").checked,
    is_flagged: $("flag").checked,
    comment: $("comment").value.trim(),
    seconds: Math.min(86400, (performance.now() - shownAt) / 1000),
  };
}

function save() {
  if ($("form").inert) return;
  const text = field.value();
  if (!text) {
    $("feedback").textContent = "Answer first, or skip with a reason.";
    return;
  }
  finish(collect(text, false));
}

function skip() {
  if ($("form").inert) return;
  const reason = $("reason").value;
  if (!reason) {
    $("feedback").textContent = "Choose a reason to skip.";
    $("reason").focus();
    return;
  }
  finish(collect(reason, true));
}

async function finish(given) {
  const { page, number } = shown;
  dropFeedback();
  if (page.purpose === "training" && isTold) return leaveTraining(page);
  if (page.purpose === "training") return finishTraining(page, number, given);
  dropDraft(page.id, number);
  $("form").inert = true; // until the next question is there
  if (!isSame(given, saidTo(page, number))) outbox.add({ page: page.id, number, given });
  page.questions[number].said = given;
  if (firstOpen(page) < 0) answered.add(page.id);
  if (cursor === visited.length) visited.push(shown);
  cursor += 1;
  next();
}

// In training the right answer is shown before it goes on; what was said is not changed any more.
async function finishTraining(page, number, given) {
  dropDraft(page.id, number);
  $("form").inert = true; // until it is stored
  page.questions[number].said = given;
  await outbox.add({ page: page.id, number, given });
  if (!page.questions[number].said) return; // it was refused
  $("form").inert = false;
  isTold = true;
  $("feedback").textContent = `The right answer is ${expected}. Press Enter to go on.`;
  field.focus();
}

function leaveTraining(page) {
  isTold = false;
  $("form").inert = true; // until the next question is there
  if (firstOpen(page) < 0) coming = [];
  return next();
}

function isSame(given, said) {
  return said && ["text", "is_skipped", "is_unsure", "is_flagged", "comment"].every((name) => given[name] === said[name]);
}

function back() {
  if (cursor === 0 || isTold) return;
  keepDraft();
  cursor -= 1;
  show(visited[cursor]);
}

// An answer that the server could not read comes back to whoever gave it, as it was typed.
async function takeBack({ page, number, given }, detail, status) {
  const place = visited.findIndex((one) => one.page.id === page && one.number === number);
  const which = shown?.page.id === page && shown.number === number ? shown : visited[place];
  if (which?.page.questions) which.page.questions[number].said = null;
  if (status === 409) return goOnAfter(detail);
  answered.delete(page);
  sessionStorage.setItem(draftKey(page, number), JSON.stringify(given));
  if (!which) return; // it is asked again
  if (place >= 0) cursor = place;
  await show(which);
  $("feedback").textContent = `Not stored: ${detail}`;
}

// What was answered already, as in another tab, is not asked again.
async function goOnAfter(detail) {
  coming = [];
  cursor = visited.length;
  await next();
  $("feedback").textContent = detail;
}

let feedbackTimer;
let feedbackTurn = 0; // how a count is read is told only for what was typed last, and not once it is saved

function dropFeedback() {
  clearTimeout(feedbackTimer);
  feedbackTurn += 1;
}

function askFeedback(text) {
  keepDraft();
  dropFeedback();
  $("feedback").textContent = "";
  const { page, number } = shown;
  if (!text || page.questions[number].form !== "count") return;
  const turn = feedbackTurn;
  feedbackTimer = setTimeout(async () => {
    const given = { key: "feedback", text };
    const path = `api/pages/${page.id}/questions/${number}/read`;
    const { status, body } = await ask(path, { method: "POST", body: JSON.stringify(given) }).catch(() => ({ status: 0 }));
    if (status !== 200 || turn !== feedbackTurn) return;
    $("feedback").textContent = body.value === null ? `Not a count yet: ${body.reason}` : `Read as ${body.value}`;
  }, FEEDBACK_MS);
}

// What was typed but not saved outlives a reload.
const draftKey = (page, number) => `subitize draft ${page} ${number}`;

function keepDraft() {
  if (!shown) return;
  const { page, number } = shown;
  sessionStorage.setItem(draftKey(page.id, number), JSON.stringify(collect(field.value(), false)));
}

function readDraft(page, number) {
  return JSON.parse(sessionStorage.getItem(draftKey(page, number)) ?? "null");
}

function dropDraft(page, number) {
  sessionStorage.removeItem(draftKey(page, number));
}

function notify(text) {
  $("notice").textContent = text;
  $("notice").hidden = !text;
}

function showState() {
  const waiting = outbox.entries.length;
  const of = progress.done + progress.left;
  $("progress").textContent = of ? `${progress.done} of ${of} done` : "";
  $("saving").textContent = waiting ? "· saving …" : hasStored ? "· stored" : "";
  $("back").disabled = cursor === 0;
  const problem = outbox.problem || fetchProblem;
  const where = outbox.unkept.size ? "wait in this page: leave it open" : "are kept on this device and will be sent";
  const kept = waiting === 1 ? `1 answer ${where.replace("wait", "waits").replace("are", "is")}.` : `${waiting} answers ${where}.`;
  notify(problem && waiting ? `${problem} ${kept}` : problem);
}

// Whoever closes the tab while answers are on their way is asked; what is kept is sent when it is opened again.
addEventListener("beforeunload", (event) => {
  if (outbox?.entries.length) event.preventDefault();
});

function toggleHelp() {
  if (!$("begin").hidden) return;
  const isOpen = $("instructions").hidden;
  $("instructions").hidden = !isOpen;
  $("help").setAttribute("aria-expanded", String(isOpen));
}

const SHORTCUTS = {
  KeyU: () => $("unsure").click(),
  KeyG: () => $("flag").click(),
  KeyC: () => $("comment").focus(),
  KeyS: () => ($("reason").value ? skip() : $("reason").focus()),
  KeyB: back,
  KeyL: () => toggleLinked($("linked").hidden),
  KeyI: () => pictures?.zoom(1),
  KeyO: () => pictures?.zoom(-1),
  KeyH: toggleHelp,
};

addEventListener("keydown", (event) => {
  if (event.altKey && event.code in SHORTCUTS) {
    event.preventDefault();
    if (!event.repeat) SHORTCUTS[event.code]();
    return;
  }
  if (event.altKey && /^Digit[1-9]$/.test(event.code)) {
    event.preventDefault();
    if (!event.repeat) takeAnswer(Number(event.code.slice(5)) - 1);
    return;
  }
  if (event.key === "Enter" && event.repeat) event.preventDefault(); // a held key answers once
  if (event.key === "Enter" && !event.repeat && shown && event.target.matches?.(".picture")) {
    event.preventDefault();
    save();
  }
  const isTyping = event.target.matches?.("input[type=text], textarea, select, button");
  if (shown && !isTyping && !event.repeat && !event.ctrlKey && !event.metaKey && !event.altKey && field.press(event.key)) {
    event.preventDefault();
  }
});

$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  save();
});
$("skip").addEventListener("click", skip);
$("back").addEventListener("click", back);
$("help").addEventListener("click", toggleHelp);
$("show-linked").addEventListener("click", () => toggleLinked($("linked").hidden));
$("agree").addEventListener("click", agree);
$("begin").addEventListener("click", begin);
$("decline").addEventListener("click", decline);
for (const id of ["unsure", "flag", "comment"]) $(id).addEventListener("input", keepDraft);

addEventListener("online", () => (fetchProblem && !shown ? next() : null));

start();
