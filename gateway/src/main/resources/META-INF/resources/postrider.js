// Postrider's browser client: one ES module, no dependencies.
//
//   import {connect} from '/postrider.js';
//   const stream = connect({
//     url: 'https://api.example.org',      // default: the origin of the page
//     topic: 'chat', rooms: ['project:7'],
//     token: async () => (await fetch('/my-token')).text(),
//     onEvent: (event, position) => show(event),
//   });
//   stream.close();
//
// With transport: 'websocket', messages go the other way too: const answer = await stream.send({text: 'hello'});
//
// Guarantee: onEvent is called once for each event of the rooms, in order, from the position on, even if the connection is lost in
// between. If missed events are no longer available, onSnapshot is called instead. A message is sent, with the same id, until the
// gateway has acknowledged or refused it.

const FIRST_WAIT = 250;
const LONGEST_WAIT = 30_000;
const MOST_ON_THE_WAY = 32; // messages that are sent and not acknowledged
const TOO_BIG = 1009; // the WebSocket close code

/**
 * Opens a stream and keeps it open until close() is called.
 *
 * @param {object} options
 * @param {string} [options.url] address of the gateway; default: the origin of the page
 * @param {string} [options.path] path of the endpoint; default /v1/stream or /v1/socket
 * @param {string} options.topic
 * @param {string[]} options.rooms such as ['project:7', 'user:ann']
 * @param {string|function({renew: boolean}): (string|Promise<string>)} options.token a token, or a function
 *     that is called for each connection. renew is true if the last token is about to expire or was refused: do not return a cached one
 * @param {number} [options.position] resume after this position; default: begin now
 * @param {'sse'|'websocket'} [options.transport] default sse
 * @param {string} [options.storageKey] stores the position in localStorage under this key, and resumes from it
 * @param {number} [options.heartbeat] the gateway's heartbeat in ms; after 2.5 heartbeats of silence the client reconnects
 * @param {function(object, number)} [options.onEvent] (event, position)
 * @param {function(string, object)} [options.onState] (state, detail): connecting, open, waiting, refused, closed
 * @param {function({oldest: number, position: number})} [options.onSnapshot] missed events are no longer available: fetch
 *     the complete state. The stream continues from position. If the callback returns a promise, events wait for it. If it fails, it is
 *     called again after the next connect, and no position is stored before that
 * @param {function(?object)} [options.onDelay] messages are not accepted at the moment, and are sent again: why; null: they are
 *     accepted again
 */
export function connect(options) {
  return new Connection(options);
}

class Connection {
  constructor(options) {
    if (!options.topic || !Array.isArray(options.rooms) || options.rooms.length === 0 || !options.token) {
      throw new TypeError('connect wants topic, rooms and token');
    }
    this.options = {transport: 'sse', heartbeat: 15_000, ...options};
    this.position = this.stored() ?? options.position ?? null;
    this.state = 'closed';
    this.failures = 0;
    this.renew = false; // the last token was refused or has expired
    this.stint = 0; // counts connections, so that messages of an earlier one are ignored
    this.work = Promise.resolve(); // callbacks, one after the other
    this.round = 0; // counts failed snapshots: callbacks that are queued behind one are not called
    this.misses = 0; // the number of consecutive failed snapshots
    this.owed = undefined; // the snapshot that the page still has to fetch
    this.messages = new Map(); // by id, in the order of send(): sent, or waiting to be sent, and not acknowledged
    this.delayed = false; // messages wait, because the gateway has asked for it
    this.wake = () => this.retryNow();
    this.sleep = () => this.putAway();
    this.back = ({persisted}) => persisted && this.retryNow(); // not on the first load of a page
    globalThis.addEventListener?.('online', this.wake);
    globalThis.addEventListener?.('pagehide', this.sleep);
    globalThis.addEventListener?.('pageshow', this.back);
    this.open();
  }

  /** Closes the stream permanently. */
  close() {
    if (this.state !== 'closed') {
      globalThis.removeEventListener?.('online', this.wake);
      globalThis.removeEventListener?.('pagehide', this.sleep);
      globalThis.removeEventListener?.('pageshow', this.back);
      this.drop();
      this.tell('closed', {});
      this.giveUp('the stream was closed');
    }
  }

  /**
   * Sends a message to the application behind the gateway, over a WebSocket only. It is sent until it is acknowledged, also after a
   * reconnect, and always with the same id, so that the application stores it once.
   *
   * @param {object} data
   * @param {string} [options.id] 1 to 64 letters, digits, - and _; default: a random one
   * @return {Promise<object|null>} the application's answer, when the message is stored. Rejected if the message is refused for good:
   *     error.status and error.problem say why
   */
  send(data, {id = newId()} = {}) {
    if (this.options.transport !== 'websocket') {
      throw new TypeError("send() needs transport: 'websocket'");
    }
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(id) || data === null || typeof data !== 'object' || Array.isArray(data)) {
      throw new TypeError('send wants an object, and an id of 1 to 64 letters, digits, - and _');
    }
    if (this.state === 'closed' || this.state === 'refused') {
      return Promise.reject(refusal(0, {detail: `the stream is ${this.state}`}));
    }
    const known = this.messages.get(id);
    if (known) {
      return known.promise;
    }
    const message = {id, text: JSON.stringify({type: 'send', id, data}), sent: false};
    message.promise = new Promise((resolve, reject) => Object.assign(message, {resolve, reject}));
    this.messages.set(id, message);
    this.pump();
    return message.promise;
  }

  // ── connecting and reconnecting ───────────────────────────────────────────────────────────────────────────────────

  async open() {
    const stint = ++this.stint;
    this.tell('connecting', {position: this.position});
    this.watch(stint);
    try {
      const token = typeof this.options.token === 'function' ? await this.options.token({renew: this.renew}) : this.options.token;
      if (stint === this.stint) {
        await (this.options.transport === 'websocket' ? this.socket(stint, token) : this.stream(stint, token));
        this.lost(stint, {reason: 'ended'});
      }
    } catch (error) {
      this.lost(stint, {reason: 'failed', error});
    }
  }

  /** The connection is lost: reconnects after a wait. The wait doubles with each failure and is randomised to spread clients. */
  lost(stint, detail) {
    if (stint !== this.stint || this.state === 'closed' || this.state === 'refused') {
      return;
    }
    this.drop();
    const longest = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.failures++);
    const wait = detail.soon ? 0 : Math.max(detail.retryAfter ?? 0, longest * (0.5 + Math.random() / 2));
    this.tell('waiting', {...detail, wait});
    this.timer = setTimeout(() => this.open(), wait);
  }

  /** Releases the socket, the request and the timers. Whatever was not acknowledged is sent again over the next connection. */
  drop() {
    this.stint++;
    this.wire = undefined;
    this.messages.forEach((message) => (message.sent = false));
    clearTimeout(this.timer);
    clearTimeout(this.dog);
    this.abort?.();
    this.abort = undefined;
  }

  /** The network is back: reconnects at once. A connection from before is dead, even if that has not been noticed. */
  retryNow() {
    if (this.state !== 'closed' && this.state !== 'refused') {
      this.failures = 0;
      this.drop();
      this.open();
    }
  }

  /**
   * The user leaves the page. Browsers keep it for the back button, with its connection: one of the six that all pages of a site
   * share over HTTP/1.1. The stream resumes when the page is shown again.
   */
  putAway() {
    if (this.state !== 'closed' && this.state !== 'refused') {
      this.drop();
      this.tell('waiting', {reason: 'hidden'});
    }
  }

  /** A half-open connection stays silent forever, so 2.5 heartbeats of silence end it. */
  watch(stint) {
    clearTimeout(this.dog);
    this.dog = setTimeout(() => this.lost(stint, {reason: 'silent'}), this.options.heartbeat * 2.5);
  }

  // ── incoming frames ───────────────────────────────────────────────────────────────────────────────────────────────

  frame(stint, type, data, position) {
    if (stint !== this.stint) {
      return;
    }
    this.watch(stint);
    if (this.state !== 'open' && type !== 'cut' && type !== 'error') {
      this.failures = 0;
      this.renew = false;
      this.tell('open', {position});
      this.pump();
      if (this.owed && type !== 'snapshot') {
        this.snapshot(this.owed);
      }
    }
    switch (type) {
      case 'event':
        this.event(data, position);
        break;
      case 'position':
        this.reach(position, () => {});
        break;
      case 'snapshot':
        this.snapshot(data);
        break;
      case 'ack':
        this.settle(data.id, (message) => message.resolve(data.data ?? null));
        break;
      case 'nack':
        this.refuseMessage(data);
        break;
      case 'cut':
        this.cut(stint, data);
        break;
      case 'error':
        this.refuse(stint, data.status, data);
        break;
    }
  }

  /** Skips an event that the page already has, by its position. */
  event(event, position) {
    this.reach(position, () => this.options.onEvent?.(event, position));
  }

  /** The missed events are no longer available. */
  snapshot(data) {
    this.owed = undefined;
    this.position = data.position; // may be lower than the previous position
    this.run(async () => {
      try {
        await this.options.onSnapshot?.(data);
        this.misses = 0;
      } catch (error) {
        console.error('postrider: onSnapshot has failed, and will be called again', error);
        this.startOver(data, error);
      }
    });
    this.run(() => this.store(data.position));
  }

  /** Continuing would leave an unreported gap: events after the snapshot are dropped and delivered again after the next one. */
  startOver(data, error) {
    this.round++;
    this.position = data.position;
    this.owed = data;
    this.failures = this.misses++; // every connect succeeded, which must not reset the backoff
    if (this.state === 'open' || this.state === 'connecting') {
      this.lost(this.stint, {reason: 'failed', error});
    }
  }

  reach(position, callback) {
    if (this.position === null || position > this.position) {
      this.position = position;
      this.run(callback);
      this.run(() => this.store(position));
    }
  }

  cut(stint, data) {
    if (data.reason === 'refused') {
      this.refuse(stint, 401, data); // of what we send on an open connection, only a new token can be at fault
    } else {
      // an expired or revoked token is replaced; if a gateway closes, the client connects to another one
      this.renew ||= data.reason === 'expired' || data.reason === 'revoked';
      this.lost(stint, {reason: data.reason, soon: data.reason === 'expired' || data.reason === 'slow'});
    }
  }

  /** Decides by HTTP status: a permanent error ends the stream. With a token function, a new token may help. */
  refuse(stint, status, problem) {
    const renewable = status === 401 && typeof this.options.token === 'function' && this.failures < 5;
    this.renew ||= renewable;
    if (renewable || status === 429 || status >= 500) {
      this.lost(stint, {reason: 'refused', status, problem, retryAfter: 1000 * (problem.retryAfter || 0)});
    } else if (stint === this.stint) {
      this.drop();
      this.tell('refused', {status, problem});
      this.giveUp('the stream was refused');
    }
  }

  /** Calls callbacks in order, each after the previous one has finished; waits for asynchronous callbacks. */
  run(callback) {
    const round = this.round;
    const due = () => this.state !== 'closed' && round === this.round;
    this.work = this.work.then(() => (due() ? callback() : undefined)).catch((error) => {
      console.error('postrider: a callback has failed', error);
    });
  }

  tell(state, detail) {
    this.state = state;
    try {
      this.options.onState?.(state, detail);
    } catch (error) {
      console.error('postrider: onState has failed', error);
    }
  }

  // ── outgoing messages ─────────────────────────────────────────────────────────────────────────────────────────────

  /** Sends what waits, in order; the gateway refuses more than 64 that it has not stored yet. */
  pump() {
    if (this.state !== 'open' || this.wire?.readyState !== WebSocket.OPEN || this.delayed) {
      return;
    }
    let sent = 0;
    for (const message of this.messages.values()) {
      if (sent++ >= MOST_ON_THE_WAY) {
        return;
      }
      if (!message.sent) {
        message.sent = true;
        this.wire.send(message.text);
      }
    }
  }

  settle(id, end) {
    const message = this.messages.get(id);
    if (message) {
      this.messages.delete(id);
      end(message);
      this.delay(null);
      this.pump();
    }
  }

  /** A message that may be accepted later is sent again: after a wait, or with the next token if this one has ended. */
  refuseMessage(problem) {
    const {id, status} = problem;
    const message = this.messages.get(id);
    if (status === 429 || status >= 500) {
      this.delay(problem);
      this.delayed = true;
      setTimeout(() => {
        this.delayed = false;
        this.pump();
      }, 1000 * (problem.retryAfter || 1) * (1 + Math.random() / 4));
    }
    if (message && (status === 401 || status === 429 || status >= 500)) {
      message.sent = false;
    } else {
      this.settle(id, ({reject}) => reject(refusal(status, problem)));
    }
  }

  /** The gateway does not say which message was too large: it must have been the largest one. */
  refuseLargest() {
    const sent = Array.from(this.messages.values()).filter((message) => message.sent);
    const largest = sent.sort((a, b) => b.text.length - a.text.length)[0];
    if (largest) {
      this.settle(largest.id, ({reject}) => reject(refusal(413, {detail: 'the message is too large'})));
    }
  }

  giveUp(detail) {
    this.messages.forEach(({reject}) => reject(refusal(0, {detail})));
    this.messages.clear();
  }

  delay(problem) {
    if (problem || this.troubled) {
      this.troubled = Boolean(problem);
      this.options.onDelay?.(problem);
    }
  }

  // ── storing the position (optional) ───────────────────────────────────────────────────────────────────────────────

  stored() {
    const text = this.options.storageKey && globalThis.localStorage?.getItem(this.options.storageKey);
    return text && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  }

  store(position) {
    if (this.options.storageKey) {
      globalThis.localStorage?.setItem(this.options.storageKey, String(position));
    }
  }

  base() {
    return new URL(this.options.url ?? '/', globalThis.location?.href);
  }

  // ── Server-Sent Events, by fetch: EventSource cannot send a token in a header ─────────────────────────────────────

  async stream(stint, token) {
    const control = new AbortController();
    this.abort = () => control.abort();
    const url = new URL(this.options.path ?? '/v1/stream', this.base());
    url.searchParams.append('topic', this.options.topic);
    this.options.rooms.forEach((room) => url.searchParams.append('room', room));
    const headers = {Authorization: `Bearer ${token}`, Accept: 'text/event-stream'};
    if (this.position !== null) {
      headers['Last-Event-ID'] = String(this.position);
    }
    const response = await fetch(url, {headers, signal: control.signal, cache: 'no-store', credentials: 'omit'});
    if (!response.ok) {
      const problem = await response.json().catch(() => ({}));
      problem.retryAfter ??= Number(response.headers.get('Retry-After')); // NaN if it is a date, which ours never is
      this.refuse(stint, response.status, problem);
      return;
    }
    await this.read(stint, response.body.getReader());
  }

  async read(stint, reader) {
    const decoder = new TextDecoder();
    let text = '';
    for (;;) {
      const {done, value} = await reader.read();
      if (done || stint !== this.stint) {
        return;
      }
      text += decoder.decode(value, {stream: true});
      const frames = text.split('\n\n');
      text = frames.pop();
      frames.forEach((frame) => this.lines(stint, frame));
    }
  }

  lines(stint, frame) {
    const fields = {};
    for (const line of frame.split('\n')) {
      const colon = line.indexOf(': ');
      if (colon > 0) {
        fields[line.slice(0, colon)] = line.slice(colon + 2);
      }
    }
    if (fields.event && fields.data) {
      this.frame(stint, fields.event, JSON.parse(fields.data), Number(fields.id));
    }
  }

  // ── WebSocket ─────────────────────────────────────────────────────────────────────────────────────────────────────

  socket(stint, token) {
    const url = new URL(this.options.path ?? '/v1/socket', this.base());
    url.protocol = url.protocol.replace('http', 'ws');
    const socket = new WebSocket(url);
    this.wire = socket;
    this.abort = () => socket.close();
    return new Promise((resolve) => {
      socket.onopen = () =>
        socket.send(
          JSON.stringify({
            type: 'hello',
            token,
            topic: this.options.topic,
            rooms: this.options.rooms,
            position: this.position,
          }),
        );
      socket.onmessage = ({data}) => {
        const frame = JSON.parse(data);
        this.frame(stint, frame.type, frame.type === 'event' ? frame.event : frame, frame.position);
      };
      socket.onclose = ({code}) => {
        if (code === TOO_BIG && stint === this.stint) {
          this.refuseLargest();
        }
        resolve(); // always follows an error
      };
      this.renewing(stint, socket, token);
    });
  }

  /** Replaces an expiring token one minute before, or at half its lifetime, without a new connection. */
  renewing(stint, socket, token) {
    const left = remaining(token);
    if (typeof this.options.token !== 'function' || left === undefined) {
      return;
    }
    const before = Math.max(left - 60_000, left / 2, 2_000); // never immediately, regardless of clock skew
    if (before > 0x7fffffff) {
      return; // longer than the maximum timer, about 24 days
    }
    setTimeout(async () => {
      if (stint === this.stint && socket.readyState === WebSocket.OPEN) {
        try {
          const next = await this.options.token({renew: true});
          if (stint === this.stint && socket.readyState === WebSocket.OPEN) {
            if (next !== token && remaining(next) !== 0) {
              socket.send(JSON.stringify({type: 'token', token: next})); // an expired token would end the stream
            }
            this.renewing(stint, socket, next);
          }
        } catch (error) {
          console.error('postrider: no new token', error); // the stream ends with the old token and reconnects
        }
      }
    }, before);
  }
}

function refusal(status, problem) {
  return Object.assign(new Error(problem.detail ?? `the message was refused with ${status}`), {status, problem});
}

function newId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The remaining lifetime of a token by this machine's clock, in ms; undefined if the token does not state it. */
function remaining(token) {
  try {
    const {exp} = JSON.parse(atob(token.split('.')[1].replace(/-/g, '+').replace(/_/g, '/')));
    return typeof exp === 'number' ? Math.max(0, exp * 1000 - Date.now()) : undefined;
  } catch {
    return undefined;
  }
}
