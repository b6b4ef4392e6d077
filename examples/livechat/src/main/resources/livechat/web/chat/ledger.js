// The counter. For each message of the visitor, it records when the message was sent, acknowledged and seen on either screen, and what
// the database says. It counts what the streams deliver before anything is drawn or merged, so a list cannot hide a duplicate.
//
//   on the way   acknowledged, not delivered everywhere yet, and not proven to be lost
//   missing      proven: the database has neither the message nor a job that would save it; or a stream is past its position and
//                did not bring it
//   twice        a stream brought it twice, or the database has two rows or two events of it

export class Ledger {
  constructor() {
    this.entries = new Map();
    this.reached = {visitor: 0, agent: 0};
    this.after = null;
    this.checkedAt = null;
  }

  sent({client}) {
    this.entries.set(client, {client, sent: performance.now(), receipt: null, saved: 0, emitted: 0, position: null, lost: false,
      visitor: 0, agent: 0, took: {}});
  }

  acknowledged({client}, receipt) {
    this.entries.get(client).receipt = receipt;
  }

  /** A stream begins after a snapshot. Messages in the snapshot do not come by the stream, and are not expected there. */
  begins(who, position) {
    this.after ??= position;
    this.reached[who] ||= position;
  }

  /** A stream has delivered a message, and therefore everything before it. */
  seen(who, {client, author}, position) {
    this.reached[who] = Math.max(this.reached[who], position);
    const entry = author.kind === 'VISITOR' ? this.entries.get(client) : undefined;
    if (entry) {
      entry[who]++;
      entry.took[who] ??= performance.now() - entry.sent;
    }
  }

  /** The messages to ask the database for: those that are not settled, or all, to check that they are still there. */
  questions(all) {
    const open = [];
    for (const entry of this.entries.values()) {
      if (entry.receipt && (all || !isSettled(entry))) {
        open.push({id: entry.client, receipt: entry.receipt});
      }
    }
    return open;
  }

  answered(entries) {
    for (const {id, saved, emitted, position, lost} of entries) {
      Object.assign(this.entries.get(id), {saved, emitted, position, lost});
    }
    this.checkedAt = Date.now();
  }

  /**
   * Streams deliver at once, but the database is polled. So a delivered message counts as seen only after the database has confirmed
   * it. Otherwise a step could show more messages than the step before it.
   */
  count() {
    const sum = {sent: 0, acknowledged: 0, saved: 0, emitted: 0, visitor: 0, agent: 0, way: 0, missing: 0, twice: 0, settled: 0};
    for (const entry of this.entries.values()) {
      sum.sent++;
      if (!entry.receipt) {
        continue;
      }
      sum.acknowledged++;
      sum.saved += entry.saved > 0;
      const told = entry.saved > 0 && entry.emitted > 0;
      sum.emitted += told;
      sum.visitor += told && entry.visitor > 0;
      sum.agent += told && entry.agent > 0;
      const missing = this.isMissing(entry);
      const settled = isSettled(entry);
      sum.missing += missing;
      sum.settled += settled;
      sum.twice += Math.max(entry.saved, entry.emitted, entry.visitor, entry.agent) > 1;
      sum.way += !missing && !settled;
    }
    return sum;
  }

  isMissing(entry) {
    const passed = who => entry.position !== null && entry.position <= this.reached[who] && entry[who] === 0;
    return entry.lost || passed('visitor') || passed('agent');
  }

  /** From the keystroke to the agent's screen, in milliseconds. */
  latency() {
    const times = [];
    for (const {took} of this.entries.values()) {
      if (took.agent !== undefined) {
        times.push(took.agent);
      }
    }
    times.sort((a, b) => a - b);
    const at = share => times[Math.min(times.length - 1, Math.floor(times.length * share))];
    return times.length === 0 ? null : {p50: at(0.5), p99: at(0.99), max: times[times.length - 1]};
  }
}

/** Delivered everywhere, at least once. */
function isSettled({saved, emitted, visitor, agent}) {
  return saved > 0 && emitted > 0 && visitor > 0 && agent > 0;
}
