// The page where studies are made: which run, which questions, which images, who, checks and texts; then the links.

import { $, call, setToken, tellErrors } from "./calling.js";

const DRAW = "\n"; // no sample has this name

async function start() {
  const me = await call("api/me");
  setToken(me.csrf_token);
  $("run").replaceChildren(...me.runs.map((name) => option(name)));
  await look();
}

async function look() {
  const run = await call(`api/run?run=${encodeURIComponent($("run").value)}`);
  $("forms").replaceChildren(...run.forms.map(makeForm));
  $("sample").replaceChildren(option("", "all images"), option(DRAW, "draw one by lot"), ...run.samples.map((name) => option(name)));
  $("by").replaceChildren(...run.factors.map((name) => option(name)));
  $("gold").replaceChildren(option("", "nobody: there are none"), ...run.judges.map((name) => option(name)));
  $("models").textContent = Object.entries(run.models).map(([model, images]) => `${model}: ${images}`).join(", ");
  toggleDrawing();
}

function makeForm({ name, told, images }) {
  const label = document.createElement("label");
  const box = document.createElement("input");
  box.type = "checkbox";
  box.name = "form";
  box.value = name;
  label.append(box, `${name}: ${told} (${images === 1 ? "1 page" : `${images} pages`})`);
  return label;
}

function option(value, text = value) {
  const made = document.createElement("option");
  made.value = value;
  made.textContent = text;
  return made;
}

function toggleDrawing() {
  const isDrawn = $("sample").value === DRAW;
  $("size").disabled = $("by").disabled = !isDrawn;
  $("size").required = isDrawn;
}

const names = (id) => $(id).value.split(",").map((name) => name.trim()).filter(Boolean);
const number = (id) => ($(id).value === "" ? null : Number($(id).value));
const share = (id) => Number($(id).value) / 100;
const text = (id) => $(id).value.trim() || null;

function collect() {
  const isDrawn = $("sample").value === DRAW;
  const plan = {
    name: $("name").value.trim(),
    forms: [...document.querySelectorAll("input[name=form]:checked")].map((box) => box.value),
    sample: isDrawn ? null : $("sample").value || null,
    images_per_model: number("per-model"),
    people: names("people"),
    reviewers: names("reviewers"),
    people_per_image: number("per-image"),
    images_per_person: number("per-person"),
    gold: $("gold").value || null,
    training: number("training") ?? 0,
    pass_mark: share("pass"),
    second_look: share("again"),
    review: share("review"),
    adjudicator: $("adjudicator").value,
    is_pilot: $("pilot").checked,
    holds_flagged: $("hold-flagged").checked,
    instructions: $("instructions").value.trim(),
    consent: $("consent").value.trim(),
    is_recruiting: $("recruit").checked,
    completion_code: text("completion"),
    failure_code: text("failure"),
  };
  const by = [...$("by").selectedOptions].map((one) => one.value);
  return { run: $("run").value, plan, draw: isDrawn ? { size: number("size"), by } : null };
}

async function make() {
  const { links } = await call("api/studies", { method: "POST", body: JSON.stringify(collect()) });
  $("links").replaceChildren(...Object.entries(links).flatMap(showLink));
  $("made").hidden = false;
  $("made-title").focus();
}

function showLink([name, link]) {
  const [term, value, anchor] = ["dt", "dd", "a"].map((kind) => document.createElement(kind));
  term.textContent = name;
  anchor.href = anchor.textContent = link;
  value.append(anchor);
  return [term, value];
}

$("run").addEventListener("change", () => tellErrors(look));
$("sample").addEventListener("change", toggleDrawing);
$("study").addEventListener("submit", (event) => {
  event.preventDefault();
  tellErrors(make);
});

await tellErrors(start);
