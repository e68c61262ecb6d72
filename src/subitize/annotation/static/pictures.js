// Pictures that can be zoomed, moved and clicked on, by mouse, finger and keyboard.

const STEP = 1.4;
const MOVE_PX = 40;
const CLICK_PX = 5; // a pointer that moved further was dragged
const CROSSHAIR_STEP = 0.02; // of the picture's width and height

/** Show pictures; where `onClick` is given, a click tells it where, in the picture's own pixels. */
export function showPictures(container, urls, onClick = null) {
  container.classList.toggle("several", urls.length > 1);
  const name = (place) => (urls.length > 1 ? `picture ${place + 1} of ${urls.length}` : "the picture");
  const views = urls.map((url, place) => new View(url, name(place), onClick));
  container.replaceChildren(...views.map((view) => view.frame));
  return {
    zoom: (by) => views.forEach((view) => view.zoom(by > 0 ? STEP : 1 / STEP)),
    mark: (points) => views[0].mark(points),
    focus: () => views[0].frame.focus(),
  };
}

export function preload(urls) {
  for (const url of urls) new Image().src = url;
}

class View {
  constructor(url, name, onClick) {
    this.scale = 1;
    this.x = this.y = 0;
    this.crosshair = [0.5, 0.5];
    this.points = [];
    this.onClick = onClick;
    this.pointers = new Map();
    this.build(url, name);
    this.listen();
  }

  build(url, name) {
    this.frame = element("div", "picture");
    this.frame.tabIndex = 0;
    this.frame.setAttribute("role", this.onClick ? "application" : "img");
    this.frame.setAttribute("aria-label", this.onClick ? `${name}: arrow keys move the cross, space marks, backspace undoes` : name);
    this.layer = element("div", "layer");
    this.image = new Image();
    this.image.alt = "";
    this.image.draggable = false;
    this.image.addEventListener("load", () => this.fit());
    this.image.addEventListener("error", () => this.fail());
    this.image.src = url;
    this.marks = element("div", "marks");
    this.layer.append(this.image, this.marks);
    this.frame.append(this.layer);
  }

  listen() {
    this.frame.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.frame.addEventListener("keydown", (event) => this.key(event));
    this.frame.addEventListener("pointerdown", (event) => this.down(event));
    this.frame.addEventListener("pointermove", (event) => this.move(event));
    this.frame.addEventListener("pointerup", (event) => this.up(event));
    this.frame.addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId));
  }

  fit() {
    this.frame.style.setProperty("--ratio", this.image.naturalWidth / this.image.naturalHeight);
    this.mark(this.points);
  }

  zoom(by) {
    this.scale = Math.min(10, Math.max(1, this.scale * by));
    if (this.scale === 1) this.x = this.y = 0;
    this.apply();
  }

  wheel(event) {
    event.preventDefault();
    this.zoom(event.deltaY < 0 ? STEP : 1 / STEP);
  }

  key(event) {
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.altKey) return;
    if (event.key in moves && (this.onClick || this.scale > 1)) {
      event.preventDefault();
      const [x, y] = moves[event.key];
      if (this.onClick) this.moveCrosshair(x, y, event.shiftKey ? CROSSHAIR_STEP / 4 : CROSSHAIR_STEP);
      else this.shift(-x * MOVE_PX, -y * MOVE_PX);
    } else if (event.key === " " && this.onClick && !event.repeat) {
      event.preventDefault();
      this.click(...this.crosshair);
    }
  }

  moveCrosshair(x, y, step) {
    const [left, top] = this.crosshair;
    this.crosshair = [clamp(left + x * step, 0, 1), clamp(top + y * step, 0, 1)];
    this.mark(this.points);
  }

  down(event) {
    this.frame.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { event, start: event });
  }

  move(event) {
    const held = this.pointers.get(event.pointerId);
    if (!held) return;
    const other = [...this.pointers.values()].find((one) => one !== held);
    if (other) this.zoom(distance(event, other.event) / Math.max(1, distance(held.event, other.event)));
    else if (this.scale > 1) this.shift(event.clientX - held.event.clientX, event.clientY - held.event.clientY);
    held.event = event;
  }

  up(event) {
    const held = this.pointers.get(event.pointerId);
    this.pointers.delete(event.pointerId);
    if (!this.onClick || !held || this.pointers.size || distance(event, held.start) > CLICK_PX) return;
    const box = this.image.getBoundingClientRect();
    const [x, y] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    if (x >= 0 && x <= 1 && y >= 0 && y <= 1) this.click(x, y);
  }

  click(x, y) {
    if (this.image.naturalWidth) this.onClick([round(x * this.image.naturalWidth), round(y * this.image.naturalHeight)]);
  }

  /** Draw a numbered dot per point, and the cross that arrow keys move. */
  mark(points) {
    this.points = points;
    if (!this.onClick || !this.image.naturalWidth) return;
    const dots = points.map(([x, y], place) => this.dot("dot", x / this.image.naturalWidth, y / this.image.naturalHeight, place + 1));
    this.marks.replaceChildren(...dots, this.dot("crosshair", ...this.crosshair, "+"));
  }

  dot(kind, x, y, text) {
    const dot = element("span", kind);
    dot.textContent = text;
    dot.style.left = `${100 * x}%`;
    dot.style.top = `${100 * y}%`;
    return dot;
  }

  shift(x, y) {
    const [mostX, mostY] = [this.frame.clientWidth, this.frame.clientHeight].map((side) => ((this.scale - 1) * side) / 2);
    this.x = clamp(this.x + x, -mostX, mostX);
    this.y = clamp(this.y + y, -mostY, mostY);
    this.apply();
  }

  apply() {
    this.layer.style.transform = `translate(${this.x}px, ${this.y}px) scale(${this.scale})`;
    this.layer.style.setProperty("--scale", this.scale);
  }

  fail() {
    const told = element("p", "broken");
    told.textContent = "This picture could not be loaded. If it stays so, skip it.";
    this.frame.append(told);
  }
}

function element(name, className) {
  const made = document.createElement(name);
  made.className = className;
  return made;
}

const clamp = (value, least, most) => Math.max(least, Math.min(most, value));
const round = (value) => Math.round(10 * value) / 10;
const distance = (one, other) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
