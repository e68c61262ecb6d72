// How a question is answered: a field has an element, `value()`, `set(text)`, `focus()` and `press(key)`, which tells
// whether the key meant something. Nothing is chosen beforehand: without an answer the value is "".

export function makeField(question, { onInput, onChoice, pictures }) {
  if (question.form === "click") return makeClicks(pictures, onInput);
  if (question.form === "choose") return makeChoices(question.lines, question.lines.map((_, i) => `${i + 1}`), onChoice);
  if (question.form === "yes-no" || question.form === "match") return makeChoices(["yes", "no"], ["y", "n"], onChoice);
  return makeText(question.form === "count", onInput);
}

function makeText(isCount, onInput) {
  const input = document.createElement("input");
  input.type = "text";
  input.id = "answer";
  input.maxLength = 2000;
  input.setAttribute("aria-labelledby", "wording");
  input.setAttribute("aria-describedby", "feedback");
  if (isCount) {
    input.className = "count";
    input.inputMode = "decimal";
  }
  input.addEventListener("input", () => onInput(input.value.trim()));
  return {
    element: input,
    value: () => input.value.trim(),
    set: (text) => (input.value = text),
    focus: () => input.focus(),
    press: () => false,
  };
}

function makeChoices(lines, keys, onChoice) {
  const group = document.createElement("div");
  group.className = "choices";
  group.setAttribute("role", "radiogroup");
  group.setAttribute("aria-labelledby", "wording");
  const inputs = lines.map((line, place) => {
    const label = document.createElement("label");
    const input = document.createElement("input");
    input.type = "radio";
    input.name = "answer";
    input.value = line;
    const key = document.createElement("kbd");
    key.textContent = keys[place].toUpperCase();
    label.append(input, line, key);
    group.append(label);
    return input;
  });
  return {
    element: group,
    value: () => inputs.find((input) => input.checked)?.value ?? "",
    set: (text) => inputs.forEach((input) => (input.checked = input.value === text)),
    focus: () => (inputs.find((input) => input.checked) ?? inputs[0]).focus(),
    press: (key) => {
      const place = keys.indexOf(key.toLowerCase());
      if (place < 0) return false;
      inputs[place].checked = true;
      onChoice();
      return true;
    },
  };
}

/** Clicks on the picture: a list of places, in its pixels, as JSON. That there are none must be said. */
function makeClicks(pictures, onInput) {
  const box = document.createElement("div");
  const count = document.createElement("p");
  count.className = "clicks";
  const undo = makeButton("Undo", () => change(points?.slice(0, -1)));
  const none = makeButton("0: there is none", () => change([]));
  box.append(count, undo, none);
  let points = null;
  const change = (changed) => {
    points = changed ?? null;
    count.textContent = points === null ? "Click on each of them." : `${points.length} marked`;
    undo.disabled = !points?.length;
    pictures.mark(points ?? []);
    onInput(value());
  };
  const value = () => (points === null ? "" : JSON.stringify(points));
  return {
    element: box,
    value,
    set: (text) => change(text ? JSON.parse(text) : null),
    add: (point) => change([...(points ?? []), point]),
    focus: () => pictures.focus(),
    press: (key) => {
      if (key === "Backspace" && points?.length) change(points.slice(0, -1));
      else if (key === "0" && !points?.length) change([]);
      else return false;
      return true;
    },
  };
}

function makeButton(text, onClick) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text;
  button.addEventListener("click", onClick);
  return button;
}
