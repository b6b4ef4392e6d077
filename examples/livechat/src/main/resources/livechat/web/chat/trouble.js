// The buttons that cause failures, and their effects.

import {el, icon, say} from './dom.js';
import {span} from './times.js';

const KINDS = {
  'kill-worker': ['skull', 'Kill a worker', 'kill -9 on one of two. The other one takes over; a new process starts.'],
  'cut-database': ['plug', 'Cut the database', 'Ends every database connection of the chat, in all its processes.'],
  'cut-streams': ['scissors', 'Cut the streams', 'The server closes both streams. They resume at their position.'],
  'hold-transaction': ['lock', 'Hold a transaction', 'It stays open for 20 s. Events of others do not wait for it.'],
  'fail-companion': ['stumble', 'Fail the companion', 'Its next job throws 3 times and is retried after 1, 2 and 4 s.'],
};

function messages(count) {
  return count === 1 ? '1 message' : `${count} messages`;
}

/** How many messages are acknowledged but not saved yet, and where they wait: that place determines how durable they are. */
function waits({waiting, running, later}, ahead) {
  const places = [[waiting + running + later, 'in the database'], [ahead?.waiting ?? 0, `in ${ahead?.name}`]]
    .filter(([count]) => count > 0);
  const all = places.reduce((sum, [count]) => sum + count, 0);
  const where = places.map(([count, place]) => places.length > 1 ? `${count} ${place}` : place).join(' and ');
  return all === 0 ? 'nothing waits' : `${messages(all)} ${all === 1 ? 'waits' : 'wait'}${places.length > 1 ? ':' : ''} ${where}`;
}

function pids(workers) {
  return workers.map(({pid}) => `pid ${pid}`).join(' and ');
}

/** Of the messages that were accepted around the time of a failure. */
function longestWait({longestWait: ms}) {
  return ms === null ? 'No message has waited.' : `Longest wait of a message: ${span(ms)}.`;
}

export class Trouble {
  /**
   * @param agent the agent's session, which is allowed to cause failures
   * @param users the users whose streams are cut
   * @param journal gets a line for each failure and recovery
   * @param look polls the server's state now
   */
  constructor(agent, users, journal, look) {
    Object.assign(this, {agent, users, journal, look, rows: {}, cutAt: {}, last: {}});
    this.root = el('div.troubles', {}, Object.entries(KINDS).map(([kind, [shape, title, what]]) => {
      const button = el('button', {type: 'button', 'data-trouble': kind, onclick: () => this.make(kind)}, icon(shape), title);
      const status = el('p.status', {role: 'status', 'data-status': kind}, what);
      this.rows[kind] = {button, status, what};
      return el('div.trouble', {}, button, status);
    }));
  }

  async make(kind) {
    const {button} = this.rows[kind];
    button.disabled = true;
    try {
      if (kind === 'cut-streams') {
        this.cuts = {};
        this.cutting = performance.now();
      }
      const {count} = await this.agent.post(`/trouble/${kind}`, kind === 'cut-streams' ? {users: this.users} : {});
      this.journal.add('bad', {
        'kill-worker': count ? `Worker ${count} was killed (kill -9).` : 'No worker is up that could be killed.',
        'cut-database': `${count} database connections were cut.`,
        'cut-streams': `${count} ${count === 1 ? 'stream was' : 'streams were'} cut.`,
        'hold-transaction': 'A transaction has written an event and stays open for 20 s.',
        'fail-companion': 'The companion’s next job will throw 3 times. Ask it something.',
      }[kind]);
      if (kind === 'hold-transaction') {
        this.passedSince = null;
      }
    } catch (problem) {
      say(this.rows[kind].status, problem.message);
    }
    button.disabled = false;
    await this.look().catch(() => {}); // the next poll will succeed or report it
  }

  // ── the streams ──────────────────────────────────────────────────────────────────────────────────────────────────────

  stream(who, state) {
    const before = this.last[who];
    this.last[who] = state;
    if (before === 'live' && state !== 'live') {
      this.cutAt[who] = performance.now();
    } else if (state === 'live' && before && before !== 'live' && this.cutAt[who]) {
      const took = span(performance.now() - this.cutAt[who]);
      this.journal.add('good', `The ${who}’s stream is back after ${took} and resumed at its position.`);
      (this.cuts ??= {})[who] = took;
      say(this.rows['cut-streams'].status,
        'Reconnected: ' + Object.entries(this.cuts).map(([name, time]) => `${name} after ${time}`).join(', ') + '.');
      delete this.cutAt[who];
    }
  }

  // ── the server's state, once or twice a second ────────────────────────────────────────────────────────────────────

  /** @param passed how many messages the agent has received so far */
  draw(state, passed) {
    this.drawAhead(state);
    this.drawWorkers(state);
    this.drawCut(state);
    this.drawHeld(state, passed);
    this.drawCompanion(state);
    this.before = state;
  }

  /** The stream in front of the queue (Redis), if there is one. */
  drawAhead({ahead}) {
    const takes = ahead?.waiting !== null;
    const took = this.before?.ahead?.waiting !== null;
    if (took && !takes) {
      this.journal.add('bad', `${ahead.name} does not answer. Messages are not accepted until it does.`);
    } else if (!took && takes) {
      this.journal.add('good', `${ahead.name} answers again. Messages are accepted.`);
    }
  }

  drawWorkers({workers, killed, ingest, ahead}) {
    if (workers.length === 0) {
      return;
    }
    const up = workers.filter(worker => worker.up);
    const before = this.before?.workers.filter(worker => worker.up);
    for (const {pid} of up) {
      if (before && !before.some(worker => worker.pid === pid)) {
        this.journal.add('good', `A new worker (pid ${pid}) is up.` + (killed ? ` ${longestWait(killed)}` : ''));
      }
    }
    const starting = up.length === 0 && !killed; // the first start, not a failure
    let text = `Up: ${pids(up)}.`;
    if (starting) {
      text = `The workers are starting; ${waits(ingest, ahead)}.`;
    } else if (up.length === 0) {
      text = `No worker is up; ${waits(ingest, ahead)}.`;
    } else if (killed) {
      text = `Pid ${killed.count} was killed, ${pids(up)} ${up.length === 1 ? 'goes' : 'go'} on. ${longestWait(killed)}`;
    }
    say(this.rows['kill-worker'].status, text);
    this.rows['kill-worker'].status.classList.toggle('hot', up.length === 0 && !starting);
  }

  drawCut({cut}) {
    if (cut) {
      say(this.rows['cut-database'].status, `${cut.count} connections were cut. ${longestWait(cut)}`);
    }
  }

  drawHeld({held}, passed) {
    const {status, button} = this.rows['hold-transaction'];
    button.disabled = held !== null;
    status.classList.toggle('hot', held !== null);
    if (held) {
      this.passedSince ??= passed;
      const open = Math.max(0, Date.now() - Date.parse(held.since));
      say(status, `Open for ${Math.round(open / 1000)} s; delivered meanwhile: ${messages(passed - this.passedSince)}.`);
    } else if (this.before?.held) {
      say(status, `Was open for 20 s; delivered meanwhile: ${messages(passed - (this.passedSince ?? passed))}.`);
    }
  }

  /** The event of the held transaction has arrived. */
  heldArrived() {
    this.journal.add('good', 'The held transaction has committed. Its event arrived now, after all the others.');
  }

  drawCompanion({companion}) {
    if (!companion) {
      return;
    }
    const {failed, of, begun, waits, done} = companion;
    const {status} = this.rows['fail-companion'];
    const told = this.before ? this.before.companion ?? {failed: 0, done: null} : companion;
    status.classList.toggle('hot', done === null);
    for (let attempt = told.failed + 1; attempt <= failed; attempt++) {
      this.journal.add('bad', `The companion’s attempt ${attempt} of ${of + 1} failed; the next one follows after ${span(waits[attempt - 1])}.`);
    }
    if (!begun) {
      say(status, `The next job’s first ${of} attempts will throw. Ask it something.`);
    } else if (done === null) {
      say(status, `Attempt ${failed} of ${of + 1} failed; the next one follows after ${span(waits[failed - 1])}.`);
    } else if (told.done === null) {
      this.journal.add('good', `The companion’s job was done at attempt ${done}.`);
      say(status, `Done at attempt ${done}, once.`);
    }
  }
}
