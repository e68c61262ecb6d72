// Answers on their way: each is kept on this device until the server says that it is stored.

const RETRY_MS = [500, 1000, 2000, 5000, 15000];

export class Outbox {
  /** `send` delivers one entry and gives {status, detail}; it throws where the server cannot be reached. */
  constructor(name, send, { onChange, onRefused }) {
    this.prefix = `subitize outbox ${new URL(".", document.baseURI).pathname} ${encodeURIComponent(name)} `; // of this study
    this.send = send;
    this.onChange = onChange;
    this.onRefused = onRefused;
    this.unkept = new Map(); // what the device has no room for
    this.waiting = new Map(); // who wants to hear of an entry, by its key
    this.failures = 0;
    this.problem = "";
    this.running = null;
    addEventListener("online", () => this.flush());
  }

  /** What is not stored yet, the earliest first: all tabs of this study have the same. */
  get entries() {
    return [...readKept(this.prefix), ...this.unkept.values()].sort((one, other) => one.at - other.at);
  }

  /** Keep an entry in the place of an earlier one about its question, and send it; tell when the server has heard it. */
  add({ page, number, given }) {
    const entry = { page, number, given, at: performance.timeOrigin + performance.now() };
    for (const one of this.entries) if (isSameQuestion(one, entry)) this.drop(one);
    try {
      localStorage.setItem(this.prefix + given.key, JSON.stringify(entry));
    } catch {
      this.unkept.set(given.key, entry);
    }
    const isHeard = new Promise((resolve) => this.waiting.set(given.key, resolve));
    this.onChange(this);
    this.flush();
    return isHeard;
  }

  /** Find what was said on this device and is not stored yet. */
  find(page, number) {
    return this.entries.find((one) => isSameQuestion(one, { page, number }))?.given;
  }

  flush() {
    this.running ??= this.run().finally(() => (this.running = null));
    return this.running;
  }

  async run() {
    clearTimeout(this.timer);
    // One tab sends at a time, so that of two answers to a question the later one stands.
    await (navigator.locks ? navigator.locks.request(this.prefix, () => this.sendAll()) : this.sendAll());
    this.onChange(this);
  }

  async sendAll() {
    for (let entry; (entry = this.entries[0]); ) {
      const { status, detail } = await this.send(entry).catch(() => ({ status: 0, detail: "" }));
      if (status === 0 || status === 429 || status >= 500) return this.retryLater(status, detail);
      this.problem = status === 401 || status === 403 ? detail : "";
      if (this.problem) return;
      this.failures = 0;
      this.drop(entry);
      if (status >= 400 && !this.find(entry.page, entry.number)) this.onRefused(entry, detail, status);
      this.onChange(this);
    }
  }

  retryLater(status, detail) {
    const wait = RETRY_MS[Math.min(this.failures++, RETRY_MS.length - 1)];
    this.problem = status === 0 ? "The server cannot be reached." : detail || "The server is busy.";
    this.timer = setTimeout(() => this.flush(), wait);
  }

  drop({ given: { key } }) {
    localStorage.removeItem(this.prefix + key);
    this.unkept.delete(key);
    this.waiting.get(key)?.();
    this.waiting.delete(key);
  }
}

function readKept(prefix) {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(prefix));
  return keys.map((key) => JSON.parse(localStorage.getItem(key))).filter(Boolean); // another tab may have dropped it
}

function isSameQuestion(one, other) {
  return one.page === other.page && one.number === other.number;
}
