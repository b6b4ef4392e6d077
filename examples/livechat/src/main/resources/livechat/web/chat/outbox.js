// Messages that are not acknowledged yet. They are sent in order, and again until the server acknowledges them; the server recognises
// a repeated message by its id.

const FOR_GOOD = [400, 401, 403, 404, 413, 415, 422];
const MOST_AT_ONCE = 50;
const FIRST_WAIT = 200;
const LONGEST_WAIT = 3000;

export class Outbox {
  /**
   * @param session the sender's session
   * @param on {acknowledged(message, receipt), refused(message, reason), stalled(reason)}: a reason of null means that messages are
   *     accepted again
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
      const settled = await this.send(this.waiting.slice(0, MOST_AT_ONCE));
      if (settled > 0) {
        this.waiting.splice(0, settled);
        wait = FIRST_WAIT;
        this.on.stalled?.(null);
      } else {
        await this.rest(wait);
        wait = Math.min(wait * 2, LONGEST_WAIT);
      }
    }
    this.sending = false;
  }

  /**
   * Returns how many of these, from the first on, are settled: accepted, or refused permanently. One invalid message makes the server
   * refuse the whole request, so the batch is halved until the invalid message is alone.
   */
  async send(batch) {
    try {
      const messages = batch.map(({client, text, conversation, pilot}) => ({id: client, text, conversation, pilot: pilot ?? false}));
      const {accepted} = await this.session.post('/messages', {messages});
      accepted.forEach(({receipt}, i) => this.on.acknowledged(batch[i], receipt));
      return batch.length;
    } catch (problem) {
      if (!FOR_GOOD.includes(problem.status)) {
        this.on.stalled?.(problem.status ? problem.message : 'The server cannot be reached.');
        return 0; // no network, or the server is failing or overloaded: retry the same batch
      }
      if (batch.length > 1) {
        return this.send(batch.slice(0, Math.ceil(batch.length / 2)));
      }
      this.on.refused(batch[0], problem.message);
      return 1;
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
