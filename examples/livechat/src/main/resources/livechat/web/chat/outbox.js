// Messages that are not acknowledged yet. They are sent in order, and again until the server acknowledges them; the server recognises
// a repeated message by its id. They go over the WebSocket of the page's stream, or by HTTP.

import {OVER_HTTP} from './stream.js';

const FOR_GOOD = [400, 401, 403, 404, 413, 415, 422];
const MOST_AT_ONCE = 50;
const FIRST_WAIT = 200;
const LONGEST_WAIT = 3000;

const UNREACHABLE = 'The server cannot be reached.';

/**
 * @param session the sender's session
 * @param on {acknowledged(message, receipt), refused(message, reason), stalled(reason)}: a reason of null means that messages are
 *     accepted again
 */
export function openOutbox(session, on) {
  return OVER_HTTP ? new Outbox(session, on) : new SocketOutbox(on);
}

/** Sends over a WebSocket. The gateway's client keeps what is not acknowledged and sends it again after a reconnect. */
class SocketOutbox {
  constructor(on) {
    Object.assign(this, {on, waiting: [], stream: null, open: 0, live: false});
  }

  /** The page has its snapshot, and the stream is being opened. */
  attach(stream) {
    this.stream = stream;
    this.waiting.splice(0).forEach(message => this.send(message));
  }

  add(message) {
    this.open++;
    this.setLive(this.live);
    if (this.stream) {
      this.send(message);
    } else {
      this.waiting.push(message);
    }
  }

  async send(message) {
    const {client, text, conversation, pilot} = message;
    try {
      const {receipt} = await this.stream.send({text, conversation, pilot: pilot ?? false}, {id: client});
      this.open--;
      this.on.acknowledged(message, receipt);
    } catch (problem) {
      this.open--;
      this.on.refused(message, problem.message);
    }
  }

  setLive(live) {
    this.live = live;
    this.setDelayed(live || this.open === 0 ? null : UNREACHABLE);
  }

  /** @param reason why messages are not accepted at the moment; null: they are */
  setDelayed(reason) {
    if (reason !== this.reason) {
      this.reason = reason;
      this.on.stalled?.(reason);
    }
  }
}

/** Sends by HTTP, several messages in one request. */
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
        this.on.stalled?.(problem.status ? problem.message : UNREACHABLE);
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
