// Draws the counter.

import {el, icon, say} from './dom.js';
import {clock, span} from './times.js';

const ROWS = [
  ['acknowledged', 'Acknowledged', 'Confirmed by the server'],
  ['saved', 'Saved', 'Rows in the database'],
  ['emitted', 'Emitted', 'Events in the log'],
  ['visitor', 'Seen by the visitor', 'Delivered by the visitor’s stream'],
  ['agent', 'Seen by the agent', 'Delivered by the agent’s stream'],
];

const VERDICTS = {
  idle: ['dots', 'Nothing sent yet', 'All messages of the visitor are counted here.'],
  way: ['clock', 'On the way', ''],
  good: ['check', 'No losses, no duplicates', ''],
  bad: ['cross', 'Something is wrong', ''],
};

export class Counter {
  constructor() {
    this.badge = el('span.badge', {'aria-hidden': 'true'});
    this.title = el('strong');
    this.detail = el('span.detail');
    this.verdict = el('div.verdict', {role: 'status', 'data-verdict': ''}, this.badge, el('div', {}, this.title, this.detail));
    this.rows = {};
    const table = el('dl.flow', {}, ROWS.map(([key, label, why]) => {
      const bar = el('progress', {max: '1', value: '0', 'aria-label': label});
      const number = el('b', {'data-count': key}, '0');
      this.rows[key] = {bar, number};
      return el('div', {title: why}, el('dt', {}, label), el('dd', {}, bar, number));
    }));
    this.way = this.figure('way', 'on the way');
    this.missing = this.figure('missing', 'missing');
    this.twice = this.figure('twice', 'duplicated');
    this.times = el('p.times', {title: 'From the keystroke to the agent’s screen'}, 'To the agent’s screen: not measured yet');
    this.root = el('div.counter', {}, this.verdict, table,
      el('div.figures', {}, this.way.root, this.missing.root, this.twice.root), this.times);
    this.show('idle', VERDICTS.idle[2]);
  }

  figure(key, label) {
    const number = el('b', {'data-count': key}, '0');
    return {number, root: el('div', {}, number, el('span', {}, label))};
  }

  draw(ledger) {
    const sum = ledger.count();
    for (const [key] of ROWS) {
      const {bar, number} = this.rows[key];
      say(number, String(sum[key]));
      bar.max = Math.max(1, sum.sent);
      bar.value = sum[key];
    }
    say(this.way.number, String(sum.way + sum.sent - sum.acknowledged));
    this.alarm(this.missing, sum.missing);
    this.alarm(this.twice, sum.twice);
    this.judge(sum, ledger.checkedAt);
    const latency = ledger.latency();
    if (latency) {
      say(this.times, `To the agent: p50 ${span(latency.p50)}, p99 ${span(latency.p99)}, max ${span(latency.max)}`);
    }
  }

  alarm({number, root}, count) {
    say(number, String(count));
    root.classList.toggle('alarm', count > 0);
  }

  judge(sum, checkedAt) {
    const open = sum.sent - sum.settled - sum.missing;
    if (sum.missing + sum.twice > 0) {
      this.show('bad', `${sum.missing} missing, ${sum.twice} duplicated of ${sum.acknowledged} acknowledged`);
    } else if (sum.sent === 0) {
      this.show('idle', VERDICTS.idle[2]);
    } else if (open > 0) {
      this.show('way', `${sum.sent - open} of ${sum.sent} delivered everywhere`);
    } else {
      const word = sum.sent === 1 ? '1 sent' : `${sum.sent} sent`;
      this.show('good', `${word}, database checked at ${clock(checkedAt)}`);
    }
  }

  show(verdict, detail) {
    if (this.verdict.dataset.verdict !== verdict) {
      this.verdict.dataset.verdict = verdict;
      this.badge.replaceChildren(icon(VERDICTS[verdict][0]));
      say(this.title, VERDICTS[verdict][1]);
    }
    say(this.detail, detail);
  }
}
