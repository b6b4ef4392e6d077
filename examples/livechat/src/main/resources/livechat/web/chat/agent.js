// The agent's page: all conversations of the project, one of them open.

import {Activity} from './activity.js';
import {newId} from './api.js';
import {avatar} from './avatar.js';
import {composer} from './composer.js';
import {el, icon, say, set} from './dom.js';
import {openOutbox} from './outbox.js';
import {presence} from './presence.js';
import {Scroll} from './scroll.js';
import {openStream} from './stream.js';
import {Talk} from './talk.js';
import {ago, keepFresh} from './times.js';

const MARK_EVERY = 600;
const LISTED = 60;

/**
 * @param root where it goes
 * @param session an agent's
 * @param prefer a visitor whose conversation is opened, unless the agent has chosen another one
 * @param watch {begins(position), seen(message, position), state(state), held(data)}: callbacks of the counter
 */
export async function mountAgent(root, session, watch = {}, prefer = null) {
  const desk = new Desk(root, session, watch, prefer);
  desk.draw();
  desk.listen();
  return desk;
}

/** One conversation in the list. */
class Line {
  constructor(conversation, visitor, name) {
    Object.assign(this, {conversation, visitor, name, talk: new Talk(), unread: 0, last: '', lastBy: '', lastAt: 0,
      lastId: 0, loaded: false});
  }
}

class Desk {
  constructor(root, session, watch, prefer) {
    Object.assign(this, {root, session, watch, prefer, lines: new Map(), open: null, marked: new Map(), chosen: false});
    this.author = {kind: 'AGENT', id: session.user, name: session.name};
    this.dot = presence();
    this.activity = new Activity(session, ({conversation, visitor, name}) => this.pick(this.line(conversation, visitor, name)));
    this.outbox = openOutbox(session, {
      acknowledged: message => this.advance(message, 'queued'),
      refused: message => this.advance(message, 'refused'),
      stalled: reason => this.composing.setStalled(reason),
    });
    addEventListener('focus', () => this.mark());
    document.addEventListener('visibilitychange', () => this.mark());
  }

  // ── the parts ────────────────────────────────────────────────────────────────────────────────────────────────────────

  draw() {
    this.list = el('ul.lines', {'aria-label': 'Conversations'});
    this.none = el('p.none', {}, 'No messages yet.');
    this.quiet = el('h3', {}, 'No conversations yet');
    this.quietNext = el('p', {}, 'Conversations appear here the moment a visitor writes.');
    this.scroll = new Scroll(message => message.author.kind === 'AGENT' && message.author.id === this.session.user, {
      label: 'Messages',
      empty: [el('img', {src: '/chat/horn.svg', alt: '', width: '56', height: '56'}), this.quiet, this.quietNext],
    });
    this.heading = el('h3', {}, '');
    this.back = el('button.back', {type: 'button', 'aria-label': 'All conversations', onclick: () => this.pick(null)}, icon('back'));
    this.crumb = el('div.crumb', {hidden: true}, this.back, this.heading);
    this.composing = composer({label: 'Your answer', placeholder: 'Choose a conversation', send: text => this.say(text)});
    this.composing.setEnabled(false);
    this.room = el('div.room', {}, this.crumb, this.scroll.root, this.composing.root);
    this.root.replaceChildren(
      el('header.head', {}, avatar(this.session.name, this.session.user),
        el('div.who', {}, el('h2', {}, this.session.name), el('p', {}, 'Agent at Acme Post')), this.activity.bell, this.dot.root),
      el('div.desk', {}, el('div.side', {}, this.none, this.list), this.room), this.activity.root);
    this.root.classList.add('ready');
    keepFresh(this.root);
    this.scroll.show(new Talk());
  }

  listen() {
    openStream({
      session: this.session,
      outbox: this.outbox,
      rooms: [`project:${this.session.project}`, `user:${this.session.user}`],
      snapshot: () => this.load(),
      event: (type, data, position, user) => this.hear(type, data, position, user),
      state: state => {
        this.dot.set(state);
        this.watch.state?.(state);
      },
    });
  }

  // ── incoming events ─────────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Loads the list as of a position. The open conversation is then read again, as of a later time. So there is no gap, and duplicates
   * are recognised by their id.
   */
  async load() {
    const {position, conversations} = await this.session.get('/conversations');
    for (const found of conversations) {
      const line = this.line(found.conversation, found.visitor, found.name);
      Object.assign(line, {last: found.last, lastBy: found.lastBy.toUpperCase(), lastAt: Date.parse(found.lastAt), unread: found.unread,
        loaded: false});
    }
    await this.activity.load();
    if (this.open) {
      await this.fill(this.open);
    } else {
      this.openBest();
    }
    this.drawList();
    this.watch.begins?.(position);
    return position;
  }

  hear(type, data, position, user) {
    if (type === 'message:created') {
      this.watch.seen?.(data, position);
      this.take(data);
    } else if (type === 'activity:created' && user === this.session.user) {
      this.activity.take(data, this.isLookingAt(this.line(data.conversation, data.visitor, data.name)));
      this.drawList();
    } else if (type === 'conversation:read') {
      this.lines.get(data.conversation)?.talk.mark(data.agent, data.message);
      if (data.agent === this.session.user) {
        this.activity.read(data.conversation, data.message);
        this.drawList();
      }
      this.refresh();
    } else if (type === 'transaction:held') {
      this.watch.held?.(data);
    }
  }

  take(message) {
    const {conversation, author} = message;
    const visitor = author.kind === 'VISITOR';
    const line = this.line(conversation, visitor ? author.id : conversation, visitor ? author.name : 'Visitor');
    if (!line.talk.save(message)) {
      return;
    }
    Object.assign(line, {last: message.text, lastBy: author.kind, lastAt: Date.parse(message.at)});
    if (visitor && !this.isLookingAt(line)) {
      line.unread++;
    }
    this.openBest();
    if (line === this.open) {
      this.scroll.show(line.talk);
      this.mark();
    }
    this.drawList();
  }

  line(conversation, visitor, name) {
    let line = this.lines.get(conversation);
    if (!line) {
      line = new Line(conversation, visitor, name);
      this.lines.set(conversation, line);
    }
    return line;
  }

  // ── outgoing ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  say(text) {
    if (this.open) {
      const message = {client: newId(), author: this.author, text, mentions: [], conversation: this.open.conversation};
      this.open.talk.write(message);
      this.outbox.add(message);
      this.scroll.atEnd = true;
      this.refresh();
    }
  }

  advance(message, state) {
    this.lines.get(message.conversation)?.talk.advance(message, state);
    this.refresh();
  }

  /** Marks visible messages as read. Reports this to the server at most every 600 ms, and only if it changed. */
  mark() {
    const line = this.open;
    if (!line || !this.isLookingAt(line)) {
      return;
    }
    line.unread = 0;
    this.activity.read(line.conversation, line.talk.lastId());
    this.drawList();
    this.marking ??= setTimeout(async () => {
      this.marking = null;
      if (line !== this.open) {
        this.mark(); // the conversation that was opened in the meantime has not been reported yet
      }
      const last = line.talk.lastId();
      if (last > (this.marked.get(line) ?? 0)) {
        this.marked.set(line, last);
        await this.session.post(`/conversations/${line.conversation}/read`, {message: last}).catch(() => this.marked.delete(line));
      }
    }, MARK_EVERY);
  }

  isLookingAt(line) {
    return line === this.open && document.visibilityState === 'visible';
  }

  // ── the list and the open one ───────────────────────────────────────────────────────────────────────────────────────

  /** Until the agent chooses, opens the preferred visitor's conversation, else the latest. On a narrow screen the list stays open. */
  openBest() {
    if (!this.chosen && this.isWide()) {
      const preferred = Array.from(this.lines.values()).find(line => line.visitor === this.prefer);
      const best = preferred ?? this.open ?? this.sorted()[0];
      if (best && best !== this.open) {
        this.choose(best);
      }
    }
  }

  pick(line) {
    this.chosen = true;
    this.choose(line);
  }

  async choose(line) {
    this.open = line;
    this.root.classList.toggle('opened', line !== null);
    this.crumb.hidden = line === null;
    this.composing.setEnabled(line !== null);
    this.composing.field.placeholder = line ? `Answer ${line.name}…` : 'Choose a conversation';
    say(this.heading, line?.name ?? '');
    this.scroll.show(line?.talk ?? new Talk());
    this.drawList();
    if (line) {
      await this.fill(line).catch(() => {});
    }
  }

  async fill(line) {
    if (!line.loaded) {
      const {messages, read} = await this.session.get(`/conversations/${line.conversation}`);
      messages.forEach(message => line.talk.save(message));
      Object.entries(read).forEach(([agent, message]) => line.talk.mark(agent, message));
      line.loaded = true;
    }
    this.refresh();
    this.mark();
  }

  refresh() {
    if (this.open) {
      this.scroll.show(this.open.talk);
    }
  }

  isWide() {
    return this.root.clientWidth >= 500;
  }

  sorted() {
    return Array.from(this.lines.values()).sort((a, b) => b.lastAt - a.lastAt).slice(0, LISTED);
  }

  drawList() {
    if (!this.listAsked) {
      this.listAsked = true;
      requestAnimationFrame(() => {
        this.listAsked = false;
        this.drawListNow();
      });
    }
  }

  drawListNow() {
    const lines = this.sorted();
    this.none.hidden = lines.length > 0;
    say(this.quiet, lines.length > 0 ? 'No conversation is open' : 'No conversations yet');
    say(this.quietNext, lines.length > 0 ? 'Choose one from the list.' : 'Conversations appear here the moment a visitor writes.');
    let place = this.list.firstChild;
    const mentioned = this.activity.conversations();
    for (const line of lines) {
      line.mentioned = mentioned.has(line.conversation);
      line.item ??= this.makeItem(line);
      this.updateItem(line);
      if (place === line.item) {
        place = place.nextSibling;
      } else {
        this.list.insertBefore(line.item, place);
      }
    }
  }

  makeItem(line) {
    return el('li', {}, el('button', {type: 'button', 'data-conversation': line.conversation, onclick: () => this.pick(line)},
      avatar(line.name, line.visitor),
      el('span.text', {}, el('span.row', {}, el('b.name', {}, line.name), el('time', {'data-at': '0'})),
        el('span.row', {}, el('span.last', {}), el('span.at', {title: 'You were mentioned'}, '@'), el('span.unread', {})))));
  }

  updateItem(line) {
    const {item} = line;
    const button = item.firstChild;
    set(button, {'aria-current': line === this.open ? 'true' : false});
    const time = item.querySelector('time');
    if (time.dataset.at !== String(line.lastAt)) {
      time.dataset.at = line.lastAt;
      say(time, line.lastAt ? ago(line.lastAt) : '');
    }
    const by = line.lastBy === 'AGENT' ? 'You: ' : line.lastBy === 'COMPANION' ? 'Pip: ' : '';
    say(item.querySelector('.last'), by + line.last);
    say(item.querySelector('.unread'), line.unread > 99 ? '99+' : String(line.unread));
    item.querySelector('.unread').hidden = line.unread === 0;
    item.querySelector('.at').hidden = !line.mentioned;
    set(button, {'aria-label': `${line.name}${line.mentioned ? ', mentioned you' : ''}${line.unread ? `, ${line.unread} unread` : ''}`});
  }
}
