// Writes a steady stream of messages as the visitor.

const EVERY = 50;
const LENGTH = 30000;

export class Pilot {
  /**
   * @param say writes one message
   * @param changed called with {running, sent, of} on every change
   */
  constructor(say, changed) {
    this.say = say;
    this.changed = changed;
    this.of = LENGTH / EVERY;
    this.running = false;
    this.sent = 0;
  }

  start() {
    this.running = true;
    this.sent = 0;
    this.began = performance.now();
    this.timer = setInterval(() => this.tick(), EVERY);
    this.changed(this);
  }

  stop() {
    clearInterval(this.timer);
    this.running = false;
    this.changed(this);
  }

  /** Sends as many messages as are due, so that a tab that was throttled for a second catches up. */
  tick() {
    const due = Math.min(this.of, Math.floor((performance.now() - this.began) / EVERY) + 1);
    while (this.sent < due) {
      this.sent++;
      this.say(`№ ${this.sent} of ${this.of}`);
    }
    this.changed(this);
    if (this.sent >= this.of) {
      this.stop();
    }
  }
}
