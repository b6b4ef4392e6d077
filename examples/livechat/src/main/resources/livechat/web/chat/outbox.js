// What was written and is not acknowledged yet. Sent in order, and again until the server has said that it is durable: the server
// tells by the id that it has it already.

const MOST_AT_ONCE = 50;
const FIRST_WAIT = 200;
const LONGEST_WAIT = 3000;

export class Outbox {
  /**
   * @param session whose it is
   * @param on {acknowledged(message, receipt), refused(message, reason), waiting(count)}
   */
  constructor(session, on) {
    this.session = session;
    this.on = on;
    this.waiting = [];
    this.sending = false;
    addEventListener('online', () => this.hurry?.());
  }

  add(message) {
    this.waiting.push(message);
    this.flush();
  }

  async flush() {
    if (this.sending) {
      return;
    }
    this.sending = true;
    let wait = FIRST_WAIT;
    while (this.waiting.length > 0) {
      const batch = this.waiting.slice(0, MOST_AT_ONCE);
      if (await this.send(batch)) {
        this.waiting.splice(0, batch.length);
        wait = FIRST_WAIT;
      } else {
        await this.rest(wait);
        wait = Math.min(wait * 2, LONGEST_WAIT);
      }
    }
    this.sending = false;
  }

  /** True if there is nothing more to do for these: taken, or refused for good. */
  async send(batch) {
    try {
      const messages = batch.map(({client, text, conversation, pilot}) => ({id: client, text, conversation, pilot: pilot ?? false}));
      const {accepted} = await this.session.post('/messages', {messages});
      accepted.forEach(({receipt}, i) => this.on.acknowledged(batch[i], receipt));
      return true;
    } catch (problem) {
      if (problem.status >= 400 && problem.status < 500) {
        batch.forEach(message => this.on.refused(message, problem.message));
        return true;
      }
      return false; // no network, or a server that is not well: the same again
    }
  }

  rest(ms) {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms);
      this.hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
