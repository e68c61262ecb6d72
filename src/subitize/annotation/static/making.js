// The page where studies are made: a form of the fields that a plan has, and of what the run offers; then the links.

import { $, call, setLabels, setToken, tellErrors } from "./calling.js";

const DRAW = "\n"; // no sample has this name
const SHOWN = ["Study", "People", "Texts"];
const LONG_TEXT = 1000;
let fields = [];
let answered = {}; // by judge, who has answered already

async function start() {
  const me = await call("api/me");
  setToken(me.csrf_token);
  $("run").replaceChildren(...me.runs.map((name) => option(name)));
  fields = await call("api/plan");
  setLabels(Object.fromEntries(fields.map(({ name, label }) => [name, label])));
  const groups = [...Map.groupBy(fields, (field) => field.group)];
  $("groups").replaceChildren(...SHOWN.map((name) => makeGroup(groups.find(([group]) => group === name))));
  $("more").append(...groups.filter(([name]) => !SHOWN.includes(name)).map(makeGroup));
  $("earlier").before(make("p", { id: "answered" }));
  $("sample").after($("draw"));
  $("images_per_model").after(make("p", { id: "models" }));
  $("sample").addEventListener("change", toggleDrawing);
  await look();
}

const make = (kind, properties, ...children) => {
  const made = Object.assign(document.createElement(kind), properties);
  made.append(...children);
  return made;
};
const option = (value, text = value) => make("option", { value, textContent: text });

function makeGroup([name, own]) {
  return make("fieldset", {}, make("legend", { textContent: name }), ...own.flatMap(makeField));
}

function makeField({ name, label, empty, kind }) {
  const text = kind.type === "array" && name !== "forms" ? `${label}, with commas between them` : label;
  const input = makeInput(name, kind);
  if (kind.type === "boolean") return [make("label", {}, input, text)];
  if (name === "forms") return [make("p", { id: "forms-title", textContent: `Questions (tick none for ${empty})` }), input];
  if (empty && "placeholder" in input) input.placeholder = empty;
  return [make("label", { htmlFor: name, textContent: text }), input];
}

function makeInput(id, kind) {
  if (id === "forms") {
    const group = make("div", { id, role: "group" });
    group.setAttribute("aria-labelledby", "forms-title");
    return group;
  }
  if (id === "sample" || id === "gold") return make("select", { id });
  if (kind.enum && !kind.default) return make("select", { id }, option("", "choose"), ...kind.enum.map((value) => option(value)));
  if (kind.enum) return make("select", { id }, ...kind.enum.map((value) => make("option", { textContent: value, selected: value === kind.default })));
  if (kind.type === "boolean") return make("input", { type: "checkbox", id });
  if (kind.maxLength > LONG_TEXT) return make("textarea", { id, rows: 5, maxLength: kind.maxLength });
  const value = id === "name" || kind.type === "array" ? "" : kind.default ?? "";
  if (kind.type === "string" || kind.type === "array") {
    return make("input", { type: "text", id, value, maxLength: kind.maxLength ?? 1000, required: id === "name" });
  }
  const [min, max] = [kind.minimum ?? kind.exclusiveMinimum, kind.maximum ?? kind.exclusiveMaximum ?? ""];
  return make("input", { type: "number", id, value, min, max, step: kind.type === "integer" ? 1 : "any" });
}

async function look() {
  const run = await call(`api/run?run=${encodeURIComponent($("run").value)}`);
  $("forms").replaceChildren(...run.forms.map(makeForm));
  $("sample").replaceChildren(option("", "all images"), option(DRAW, "draw one at random"), ...run.samples.map((name) => option(name)));
  $("by").replaceChildren(...run.factors.map((name) => option(name)));
  $("gold").replaceChildren(option("", "nobody’s"), ...run.judges.map((name) => option(name)));
  $("models").textContent = Object.entries(run.models).map(([model, images]) => `${model}: ${images}`).join(", ");
  answered = run.answered;
  toggleDrawing();
  showAnswered();
}

// Whether earlier answers count is asked only where there are any.
function showAnswered() {
  const told = answered[$("judge").value.trim()];
  for (const one of [$("answered"), $("earlier"), document.querySelector("label[for=earlier]")]) one.hidden = !told;
  $("answered").textContent = told ? `${told}.` : "";
  if (!told) $("earlier").value = "";
}

function makeForm({ name, told, images }) {
  const box = make("input", { type: "checkbox", name: "form", value: name });
  return make("label", {}, box, `${name}: ${told} (${images === 1 ? "1 page" : `${images} pages`})`);
}

function toggleDrawing() {
  const isDrawn = $("sample").value === DRAW;
  $("draw").hidden = $("size").disabled = !isDrawn;
}

/** Read a field; what is left empty is left to the server. */
function read({ name, kind }) {
  const input = $(name);
  if (name === "forms") return [...document.querySelectorAll("input[name=form]:checked")].map((box) => box.value);
  if (kind.type === "boolean") return input.checked;
  const text = input.value.trim();
  if (kind.type === "array") return text.split(",").map((part) => part.trim()).filter(Boolean);
  return text && (kind.type === "string" ? text : Number(text));
}

function collect() {
  const plan = Object.fromEntries(fields.map((field) => [field.name, read(field)]).filter(([, value]) => value !== ""));
  const isDrawn = $("sample").value === DRAW;
  const by = [...$("by").selectedOptions].map((one) => one.value);
  return { run: $("run").value, plan, draw: isDrawn ? { size: Number($("size").value), by } : null };
}

async function send() {
  const { links } = await call("api/studies", { method: "POST", body: JSON.stringify(collect()) });
  $("links").replaceChildren(...Object.entries(links).flatMap(showLink));
  $("made").hidden = false;
  $("made-title").focus();
}

function showLink([name, link]) {
  const anchor = make("a", { href: link, textContent: link });
  return [make("dt", { textContent: name }), make("dd", {}, anchor)];
}

$("run").addEventListener("change", () => tellErrors(look));
$("groups").addEventListener("change", showAnswered);
$("more").addEventListener("input", showAnswered);
$("study").addEventListener("invalid", ({ target }) => (target.closest("details") ?? {}).open = true, true);
$("study").addEventListener("submit", async (event) => {
  event.preventDefault();
  const error = await tellErrors(send);
  for (const { name } of fields) $(name).toggleAttribute("aria-invalid", error?.fields?.[0] === name);
  if ($(error?.fields?.[0])?.closest("details")) $("more").open = true;
  $("notice").scrollIntoView({ block: "nearest" });
});

await tellErrors(start);
