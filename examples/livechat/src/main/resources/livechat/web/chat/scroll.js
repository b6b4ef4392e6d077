// The list of messages: draws the content of a Talk at most once per frame, and stays at the end unless the user has scrolled up.

import {el, icon, say, set} from './dom.js';
import {ago, clock} from './times.js';
import {keyOf} from './talk.js';

const DRAWN = 120;
const NEAR = 80;

const TICKS = {
  sending: ['clock', 'Sending'],
  queued: ['tick', 'Accepted, waiting to be saved'],
  saved: ['ticks', 'Saved'],
  read: ['ticks', 'Read'],
  refused: ['cross', 'Refused'],
};

export class Scroll {
  /**
   * @param own tells whether the current user wrote a message
   * @param options {label, empty: nodes for an empty conversation}
   */
  constructor(own, {label, empty}) {
    this.own = own;
    this.items = new Map();
    this.list = el('ol.messages', {role: 'log', 'aria-live': 'polite', 'aria-label': label});
    this.empty = el('div.empty', {}, ...empty);
    this.typing = el('div.typing', {hidden: true, role: 'status'}, el('span.dots', {'aria-hidden': 'true'}, el('i'), el('i'), el('i')),
      el('span.who'));
    this.box = el('div.scroll', {tabindex: '0', 'aria-label': label, role: 'group'}, this.empty, this.list, this.typing);
    this.more = el('button.more', {type: 'button', hidden: true, onclick: () => this.toEnd()}, icon('down'), 'New messages');
    this.root = el('div.scroller', {}, this.box, this.more);
    this.box.addEventListener('scroll', () => {
      this.atEnd = this.box.scrollHeight - this.box.scrollTop - this.box.clientHeight < NEAR;
      this.more.hidden = this.more.hidden || this.atEnd;
    }, {passive: true});
    this.atEnd = true;
    new ResizeObserver(() => this.stay()).observe(this.box);
  }

  /** Shows this conversation from the next frame on. */
  show(talk) {
    if (talk !== this.talk) {
      this.talk = talk;
      this.items.clear();
      this.list.replaceChildren();
      this.atEnd = true;
    }
    if (!this.asked) {
      this.asked = true;
      requestAnimationFrame(() => {
        this.asked = false;
        this.draw();
      });
    }
  }

  /** Shows who is writing; null if nobody is. */
  setTyping(text) {
    if (this.typing.hidden === (text === null) && (text === null || this.typing.lastChild.textContent === text)) {
      return;
    }
    this.typing.hidden = text === null;
    say(this.typing.lastChild, text ?? '');
    this.stay();
  }

  /** Turns off the screen reader's announcements while hundreds of messages arrive. */
  setQuiet(quiet) {
    this.list.setAttribute('aria-live', quiet ? 'off' : 'polite');
  }

  draw() {
    const {messages, cut} = this.talk.shown(DRAWN);
    const readTo = this.talk.readTo;
    const keys = new Set(messages.map(keyOf));
    for (const [key, item] of this.items) {
      if (!keys.has(key)) {
        item.remove();
        this.items.delete(key);
      }
    }
    let fresh = false;
    let place = this.list.firstChild;
    messages.forEach((message, i) => {
      const key = keyOf(message);
      let item = this.items.get(key);
      if (!item) {
        item = this.make(message);
        this.items.set(key, item);
        fresh = true;
      }
      this.update(item, message, messages[i - 1], messages[i + 1], readTo);
      item.classList.toggle('cut', message === cut);
      if (place === item) {
        place = item.nextSibling;
      } else {
        this.list.insertBefore(item, place);
      }
    });
    this.empty.hidden = messages.length > 0;
    this.stay(fresh);
  }

  stay(fresh) {
    if (this.atEnd) {
      this.toEnd();
    } else if (fresh) {
      this.more.hidden = false;
    }
  }

  toEnd() {
    this.box.scrollTop = this.box.scrollHeight;
    this.more.hidden = true;
  }

  make(message) {
    const own = this.own(message);
    const at = Date.parse(message.at);
    const item = el(`li.message.${message.author.kind.toLowerCase()}`, {'data-client': message.client},
      el('span.by', {}, el('b', {}, message.author.name), time(at),
        message.attempt > 1 ? el('span.attempt', {}, `attempt ${message.attempt}`) : null),
      el('div.bubble', {}, el('p', {}, ...words(message))),
      own ? el('span.foot', {}, time(at), el('span.tick', {role: 'img'})) : null);
    item.classList.toggle('own', own);
    item.classList.toggle('pilot', message.pilot === true);
    return item;
  }

  update(item, message, before, after, readTo) {
    item.classList.toggle('follows', same(before, message));
    item.classList.toggle('leads', same(message, after));
    if (message.id && !item.dataset.id) {
      item.dataset.id = message.id;
      item.querySelector('p').replaceChildren(...words(message));
    }
    const tick = item.querySelector('.tick');
    // Only agents report what they have read, so this says nothing about their own messages.
    const read = message.author.kind === 'VISITOR' && message.state === 'saved' && message.id <= readTo;
    const state = read ? 'read' : message.state;
    if (tick && tick.dataset.state !== state) {
      const [shape, label] = TICKS[state];
      tick.dataset.state = state;
      set(tick, {'aria-label': label, title: label});
      tick.replaceChildren(icon(shape));
    }
  }
}

function time(at) {
  return el('time', {datetime: new Date(at).toISOString(), 'data-at': at, title: clock(at)}, ago(at));
}

function same(one, other) {
  return Boolean(one && other && one.author.id === other.author.id && one.author.kind === other.author.kind
    && Date.parse(other.at) - Date.parse(one.at) < 120000 && !(other.attempt > 1));
}

/** The text as text nodes, with each mention in a mark element. */
function words({text, mentions}) {
  const called = new Set(mentions ?? []);
  return text.split(/(@[\p{L}\p{N}_-]+)/u).map(part =>
    part.startsWith('@') && called.has(part.slice(1).toLowerCase()) ? el('mark', {}, part) : document.createTextNode(part));
}
