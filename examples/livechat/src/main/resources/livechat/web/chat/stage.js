// The start page: visitor and agent side by side, the counter, and the buttons that cause failures.

import {mountAgent} from './agent.js';
import {Session} from './api.js';
import {Counter} from './counter.js';
import {el, icon, say} from './dom.js';
import {Journal} from './journal.js';
import {Ledger} from './ledger.js';
import {Pilot} from './pilot.js';
import {Trouble} from './trouble.js';
import {mountVisitor} from './visitor.js';

const LOOK_EVERY = 700;
const MOST_ASKED = 500; // the limit of one request
const AGENT = 'anna';

const [visitor, agent] = await Promise.all([Session.open('visitor', {}), Session.open(`agent:${AGENT}`, {agent: AGENT})]);
const ledger = new Ledger();
const counter = new Counter();
const journal = new Journal();
const trouble = new Trouble(agent, [visitor.user, agent.user], journal, askState);
let seenByAgent = 0;

const visiting = await mountVisitor(document.getElementById('visitor'), visitor, {
  sent: message => ledger.sent(message),
  acknowledged: (message, receipt) => ledger.acknowledged(message, receipt),
  seen: (message, position) => ledger.seen('visitor', message, position),
  begins: position => ledger.begins('visitor', position),
  state: state => trouble.stream('visitor', state),
});
await mountAgent(document.getElementById('agent'), agent, {
  seen(message, position) {
    ledger.seen('agent', message, position);
    seenByAgent++;
  },
  begins: position => ledger.begins('agent', position),
  held: () => trouble.heldArrived(),
  state: state => trouble.stream('agent', state),
}, visitor.user);

// ── the auto-pilot ───────────────────────────────────────────────────────────────────────────────────────────────────────

const go = el('button.go', {type: 'button', 'data-pilot': '', onclick: () => pilot.running ? pilot.stop() : pilot.start()});
const course = el('progress', {max: '1', value: '0', 'aria-label': 'Auto-pilot'});
const log = el('p.status', {role: 'status'}, '20 messages/s for 30\u00a0s');
const pilot = new Pilot(text => visiting.say(text, true), ({running, sent, of}) => {
  visiting.scroll.setQuiet(running);
  go.replaceChildren(icon(running ? 'stop' : 'play'), running ? 'Stop the auto-pilot' : 'Start the auto-pilot');
  course.max = of;
  course.value = sent;
  if (running) {
    say(log, `${sent} of ${of} sent.`);
  } else if (sent > 0) {
    say(log, `${sent} sent.`);
  }
});
pilot.changed(pilot);

document.getElementById('panel').replaceChildren(
  el('div.half', {}, counter.root, el('div.autopilot', {}, go, course, log)),
  el('div.half.rest', {}, el('h2.section', {}, 'Cause a failure'), trouble.root, el('h2.section', {}, 'What happened'), journal.root));
document.getElementById('panel').classList.add('ready');

// ── polling ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

let settledAll = 0;

/** Checks the messages that are still open; when none is open any more, checks all of them once. */
async function verify() {
  const open = ledger.questions(false);
  const count = ledger.count().acknowledged;
  const all = open.length === 0 && count > settledAll;
  if (open.length > 0 || all) {
    const questions = all ? ledger.questions(true) : open;
    for (let i = 0; i < questions.length; i += MOST_ASKED) {
      const {entries} = await visitor.post('/verify', {promises: questions.slice(i, i + MOST_ASKED), after: ledger.after ?? 0});
      ledger.answered(entries);
    }
    settledAll = all ? count : settledAll;
  }
}

/** Answers may arrive out of order. An answer to an older request than the last one drawn is dropped, because it is outdated. */
let asked = 0;
let told = 0;
async function askState() {
  const mine = ++asked;
  const state = await agent.get('/state');
  if (mine > told) {
    told = mine;
    trouble.draw(state, seenByAgent);
  }
}

async function look() {
  if (document.visibilityState === 'visible') {
    await Promise.allSettled([askState(), verify()]); // no network, no database or no Redis at the moment: the next poll tries again
  }
  setTimeout(look, LOOK_EVERY);
}

function draw() {
  counter.draw(ledger);
  setTimeout(() => requestAnimationFrame(draw), 200);
}

look();
draw();

// ── panes, on screens with room for only one ──────────────────────────────────────────────────────────────────────────

const tabs = document.querySelectorAll('.tabs button');
for (const tab of tabs) {
  tab.addEventListener('click', () => {
    document.body.dataset.tab = tab.dataset.pane;
    tabs.forEach(other => other.setAttribute('aria-pressed', String(other === tab)));
  });
}
visiting.focus();
