// The owner's page: progress, people, agreement, what people disagree about, and what is held back from them.

import { $, call, setToken, tellErrors } from "./calling.js";

const REFRESH_MS = 5000;
let leaving = null; // who may be left out

async function refresh() {
  const [study, screening] = await Promise.all([call("api/study"), call("api/study/screening")]);
  $("name").textContent = `Study “${study.name}”`;
  $("bar").value = study.wanted ? study.given / study.wanted : 0;
  say("progress", tellProgress(study));
  renew("people", study.people, showPerson);
  renew("agreement", study.agreement ?? [], showAgreement);
  $("age").textContent = study.agreement_age_seconds === null
    ? "Being computed, or not answered by two people yet."
    : `Computed ${Math.round(study.agreement_age_seconds)} seconds ago; 95 % intervals for prompts and people like these.`;
  showReviews(study);
  $("make").hidden = !study.making_link;
  $("make").href = study.making_link ?? "";
  renew("disagreements", study.disagreements, showDisagreement);
  showScreening(screening);
}

// What a screen reader tells is written only where it is new.
function say(id, text) {
  if ($(id).textContent !== text) $(id).textContent = text;
}

const drawn = new Map();

/** Show a list anew where it has changed. Who is at one of its buttons stays there, or goes to the section's title. */
function renew(id, list, show) {
  const text = JSON.stringify(list);
  if (drawn.get(id) === text) return;
  drawn.set(id, text);
  const focused = $(id).contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
  $(id).replaceChildren(...list.map(show));
  if (focused === null) return;
  const same = [...$(id).querySelectorAll("button")].find((one) => one.getAttribute("aria-label") === focused && !one.disabled);
  (same ?? $(id).closest("section").querySelector("h2")).focus();
}

function showReviews({ reviews: [reviewed, toReview], corrections, adjudications: [settled, toSettle], can_adjudicate: canSettle }) {
  const told = [];
  if (reviewed + toReview) told.push(`${reviewed} of ${reviewed + toReview} pages drawn for review are reviewed, ${corrections} answers corrected.`);
  if (settled + toSettle) told.push(`${settled} of ${settled + toSettle} pages on which people disagree are settled.`);
  $("reviews").textContent = told.join(" ");
  $("adjudicate").hidden = !canSettle || !toSettle;
}

function tellProgress({ given, wanted, pages, people_per_page: each, per_hour: speed, hours_left: left }) {
  const people = each === 1 ? "one person" : `${each} people`;
  const pace = speed && given < wanted ? `; ${Math.round(speed)} an hour, ${tellHours(left)} left` : "";
  return `${given} of ${wanted} answered (${pages} pages, ${people} each)${pace}.`;
}

function tellHours(hours) {
  if (hours >= 1) return `${hours.toFixed(1)} hours`;
  const minutes = Math.ceil(60 * hours);
  return minutes === 1 ? "1 minute" : `${minutes} minutes`;
}

const tell = (estimate) => {
  if (!estimate) return "–";
  const [value, low, high] = [estimate.value, estimate.low, estimate.high].map((one) => (one ?? NaN).toFixed(2));
  return `${value} [${low}, ${high}]`;
};

function showPerson(person) {
  const row = document.createElement("tr");
  row.classList.toggle("withdrawn", person.is_withdrawn);
  row.append(cell(person.name));
  const notes = [person.role, person.proposal, person.done_code && `code ${person.done_code}`].filter(Boolean);
  row.lastChild.append(" ", Object.assign(document.createElement("small"), { textContent: notes.join("; ") }));
  const remarks = ["skipped", "unsure", "flagged"].filter((what) => person[what]).map((what) => `${person[what]} ${what}`);
  row.append(cell([person.done, ...remarks].join(", "), "number"));
  row.append(cell(person.median_seconds?.toFixed(1) ?? "–", "number"));
  for (const [right, all] of [person.gold, person.consistency]) row.append(cell(all ? `${right} of ${all}` : "–", "number"));
  row.append(cell(tell(person.agreement), "number"));
  const copy = button("Copy", () => navigator.clipboard?.writeText(person.link).catch(() => prompt("Link", person.link)) ?? prompt("Link", person.link));
  copy.setAttribute("aria-label", `Copy the link of ${person.name}`);
  const leave = button("Leave out …", () => tellErrors(() => askToLeaveOut(person)));
  leave.setAttribute("aria-label", `Leave out ${person.name}`);
  copy.disabled = leave.disabled = person.is_withdrawn;
  row.append(cell(copy, "actions"));
  row.lastChild.append(leave);
  const titles = [...document.querySelectorAll("#people-table th")].map((one) => one.textContent);
  row.role = "row"; // also where it is laid out as a card
  [...row.cells].forEach((one, place) => Object.assign(one, { role: "cell" }).dataset.title = titles[place]);
  return row;
}

function showAgreement(one) {
  const row = document.createElement("tr");
  row.append(cell(one.model), cell(one.question), cell(one.units, "number"), cell(one.annotators, "number"));
  row.append(...[one.pairwise, one.kappa, one.alpha].map((estimate) => cell(tell(estimate), "number")), cell(one.caution, "caution"));
  return row;
}

function showDisagreement({ wording, pictures, answers }) {
  const entry = document.createElement("li");
  entry.append(...pictures.map(showPicture));
  const question = document.createElement("strong");
  question.textContent = wording;
  const list = document.createElement("dl");
  for (const [name, answer] of Object.entries(answers)) {
    const [term, said] = ["dt", "dd"].map((kind) => document.createElement(kind));
    term.textContent = name;
    said.textContent = answer;
    list.append(term, said);
  }
  entry.append(question, list);
  return entry;
}

function showPicture(url) {
  const image = new Image();
  image.src = url;
  image.loading = "lazy";
  image.alt = "";
  return image;
}

function showScreening({ flagged, held, faces }) {
  const told = [`${flagged.length === 1 ? "1 picture is" : `${flagged.length} pictures are`} flagged and still shown`];
  told.push(`${held.length === 1 ? "1 is" : `${held.length} are`} held back from people.`);
  say("screening", told.join("; "));
  $("hold-flagged").hidden = $("flagged-title").hidden = !flagged.length;
  $("held-title").hidden = !held.length;
  $("find-faces").disabled = faces.is_running;
  say("faces", tellFaces(faces));
  renew("flagged", flagged, (one, place) => showScreened(one, place, [["Hold back", true], ["Keep showing", false]]));
  renew("held", held, (one, place) => showScreened(one, place, [["Show again", false]]));
}

function tellFaces({ looked, pictures, found, unreadable, is_running: isRunning, problem, caution }) {
  if (problem) return `The search for faces has stopped: ${problem}`;
  if (isRunning) return `Looking for faces: ${looked} of ${pictures} pictures, ${found} with faces so far.`;
  if (!pictures) return "";
  const broken = unreadable ? ` ${unreadable} could not be read.` : "";
  return `Looked at ${pictures} pictures: ${found} show faces and are held back.${broken} Note: ${caution}.`;
}

function showScreened({ image, reason, picture }, place, choices) {
  const [entry, why] = ["li", "p"].map((kind) => document.createElement(kind));
  why.textContent = reason;
  entry.append(showPicture(picture), why);
  for (const [name, isHeld] of choices) {
    const decide = button(name, () => change("api/study/screening", { image, is_held: isHeld, reason: isHeld ? reason : "" }));
    decide.setAttribute("aria-label", `${name}: picture ${place + 1}, ${reason}`);
    entry.append(decide, " ");
  }
  return entry;
}

function change(path, body = {}) {
  return tellErrors(async () => {
    await call(path, { method: "POST", body: JSON.stringify(body) });
    await refresh();
  });
}

$("hold-flagged").addEventListener("click", () => change("api/study/screening/flagged"));
$("find-faces").addEventListener("click", () => change("api/study/screening/faces"));

async function askToLeaveOut(person) {
  leaving = person;
  $("effect-title").textContent = `Leave out ${person.name}`;
  $("effect-text").textContent = "Computing what it would change …";
  $("why").value = "";
  $("effect").showModal();
  const { agreement, without } = await call(`api/study/people/${person.id}/effect`);
  const lines = (agreement ?? []).map((one) => {
    const other = without.find((two) => two.model === one.model && two.question === one.question && two.group === one.group);
    return `${one.model}, ${one.question}: pairwise agreement ${tell(one.pairwise)} → ${tell(other?.pairwise)}`;
  });
  $("effect-text").textContent = lines.join("\n") || "There is nothing to compare yet.";
}

$("effect").addEventListener("close", () => {
  const choice = $("effect").returnValue;
  if (choice !== "exclude" && choice !== "close") return;
  const reason = choice === "exclude" ? $("why").value.trim() || "left out by the owner" : "";
  change(`api/study/people/${leaving.id}/withdraw`, { reason });
});

$("invite").addEventListener("submit", (event) => {
  event.preventDefault();
  tellErrors(async () => {
    await call("api/study/people", { method: "POST", body: JSON.stringify({ name: $("person").value.trim(), role: $("role").value }) });
    $("person").value = "";
    await refresh();
  });
});

function cell(content, className = "") {
  const made = document.createElement("td");
  made.className = className;
  made.append(content);
  return made;
}

function button(text, onClick) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", onClick);
  return made;
}

async function start() {
  for (const one of document.querySelectorAll("details")) one.open = !matchMedia("(max-width: 50rem)").matches;
  setToken((await call("api/me")).csrf_token);
  await refresh();
}

await tellErrors(start);
setInterval(() => tellErrors(refresh), REFRESH_MS);
