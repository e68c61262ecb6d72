// Answers on their way: kept on this device until the server says that they are stored.

const RETRY_MS = [500, 1000, 2000, 5000, 15000];

export class Outbox {
  /** `send` delivers one entry and gives {status, detail}; it throws where the server cannot be reached. */
  constructor(name, send, { onChange, onRefused }) {
    this.key = `subitize outbox ${new URL(".", document.baseURI).pathname} ${name}`; // of this study
    this.send = send;
    this.onChange = onChange;
    this.onRefused = onRefused;
    this.entries = JSON.parse(localStorage.getItem(this.key) ?? "[]");
    this.failures = 0;
    this.problem = "";
    this.running = null;
    addEventListener("online", () => this.flush());
  }

  add(entry) {
    this.entries = [...this.entries.filter((one) => !isSameQuestion(one, entry)), entry];
    this.keep();
    this.flush();
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
    while (this.entries.length) {
      const entry = this.entries[0];
      const { status, detail } = await this.send(entry).catch(() => ({ status: 0, detail: "" }));
      if (status === 0 || status === 429 || status >= 500) return this.retryLater(status, detail);
      if (status === 401 || status === 403) return this.stop(detail);
      this.failures = 0;
      this.problem = "";
      this.entries = this.entries.filter((one) => one !== entry);
      this.keep();
      if (status >= 400) this.onRefused(entry, detail);
    }
    this.onChange(this);
  }

  retryLater(status, detail) {
    const wait = RETRY_MS[Math.min(this.failures++, RETRY_MS.length - 1)];
    this.problem = status === 0 ? "The server cannot be reached." : detail || "The server is busy.";
    this.timer = setTimeout(() => this.flush(), wait);
    this.onChange(this);
  }

  stop(detail) {
    this.problem = detail;
    this.onChange(this);
  }

  keep() {
    localStorage.setItem(this.key, JSON.stringify(this.entries));
    this.onChange(this);
  }
}

function isSameQuestion(one, other) {
  return one.page === other.page && one.number === other.number;
}
