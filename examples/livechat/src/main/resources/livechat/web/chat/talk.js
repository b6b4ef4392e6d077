// One conversation as a page knows it: messages from snapshots, from the stream and from this page's user, each once.

const KEPT = 400;
const PILOTED = 30;

/** The key of a message; it is the same before and after the message is saved. */
export function keyOf({author, client}) {
  return `${author.kind}/${author.id}/${client}`;
}

export class Talk {
  constructor() {
    this.byKey = new Map();
    this.read = new Map();
  }

  /** Adds a message that was written here and is not saved yet. */
  write(message) {
    this.byKey.set(keyOf(message), {...message, state: 'sending', at: new Date().toISOString()});
  }

  /** Sets the state of an own message: sending, queued, saved or refused. A saved message never goes back. */
  advance(message, state) {
    const known = this.byKey.get(keyOf(message));
    if (known && !(known.id && state !== 'saved')) {
      known.state = state;
    }
  }

  /** Adds a saved message from a snapshot or the stream. Returns false if it was already known as saved. */
  save(message) {
    const key = keyOf(message);
    const known = this.byKey.get(key);
    this.byKey.set(key, {...message, state: 'saved'});
    this.forget();
    return !known?.id;
  }

  /** An agent has read up to a message. */
  mark(agent, message) {
    this.read.set(agent, Math.max(message, this.read.get(agent) ?? 0));
  }

  /** The last message that any agent has read. */
  get readTo() {
    return Math.max(0, ...this.read.values());
  }

  /** The id of the last saved message; 0 if there is none. */
  lastId() {
    return Math.max(0, ...this.latest(50).map(message => message.id ?? 0));
  }

  /** The last N messages: saved ones in the order they were accepted, then unsaved ones in the order they were written. */
  latest(most) {
    const all = Array.from(this.byKey.values());
    const saved = all.filter(message => message.id).sort((a, b) => a.order - b.order || a.id - b.id);
    return saved.concat(all.filter(message => !message.id)).slice(-most);
  }

  /** The same, with only the newest messages of the auto-pilot, because hundreds of them would hide what people have written. */
  shown(most) {
    const all = this.latest(Infinity);
    const left = all.filter(message => message.pilot).length - PILOTED;
    let passed = 0;
    const shown = all.filter(message => !message.pilot || ++passed > left);
    const cut = left > 0 ? shown.find(message => message.pilot) : null;
    return {messages: shown.slice(-most), cut};
  }

  /** Drops old messages, so that a page that is open for days does not grow. */
  forget() {
    if (this.byKey.size > 2 * KEPT) {
      const keep = new Set(this.shown(KEPT).messages.map(keyOf));
      for (const key of this.byKey.keys()) {
        if (!keep.has(key)) {
          this.byKey.delete(key);
        }
      }
    }
  }
}
