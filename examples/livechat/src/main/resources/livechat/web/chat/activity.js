// The agent's activity feed: who has mentioned the agent, the newest first, and a badge with the number of unread ones. Everything in
// it is a row of the database, so it is the same after a reload.

import {avatar} from './avatar.js';
import {el, icon, say, set} from './dom.js';
import {ago, clock} from './times.js';

const PAGE = 50;

export class Activity {
  /**
   * @param session the agent's session
   * @param choose opens the conversation of an activity
   */
  constructor(session, choose) {
    Object.assign(this, {session, choose, known: new Map(), unread: new Map(), items: new Map(), more: false});
    this.number = el('b', {}, '0');
    this.bell = el('button.bell', {type: 'button', 'aria-label': 'Activity: no unread mentions', 'aria-expanded': 'false',
      'aria-controls': 'activity', 'data-count': '0', onclick: () => this.toggle()}, icon('bell'), this.number);
    this.list = el('ul', {'aria-label': 'Mentions'});
    this.none = el('p.none', {}, `No mentions yet. A message with @${session.user} appears here.`);
    this.older = el('button.older', {type: 'button', hidden: true, onclick: () => this.loadOlder()}, 'Show older');
    this.root = el('section.activity', {id: 'activity', 'aria-label': 'Activity', hidden: true, tabindex: '-1'},
      el('header', {}, el('h3', {}, 'Activity'), this.summary = el('span', {role: 'status'}, '')), this.none, this.list, this.older);
    document.addEventListener('keydown', event => event.key === 'Escape' && this.close());
    document.addEventListener('click', ({target}) => {
      if (!this.root.contains(target) && !this.bell.contains(target)) {
        this.close();
      }
    });
  }

  // ── what is in it ────────────────────────────────────────────────────────────────────────────────────────────────────

  async load() {
    const {open, latest} = await this.session.get('/activity');
    this.unread = new Map(open.map(entry => [entry.id, entry]));
    latest.forEach(activity => this.known.set(activity.id, activity));
    this.more = latest.length === PAGE;
    this.draw();
  }

  async loadOlder() {
    const oldest = Math.min(...this.known.keys());
    const {latest} = await this.session.get(`/activity?before=${oldest}`);
    latest.forEach(activity => this.known.set(activity.id, activity));
    this.more = latest.length === PAGE;
    this.draw();
  }

  /** Adds an activity from the stream; one that the snapshot had already is the same one. */
  take(activity, isRead) {
    if (!this.known.has(activity.id) && !this.unread.has(activity.id)) {
      this.known.set(activity.id, activity);
      if (!isRead) {
        this.unread.set(activity.id, activity);
      }
      this.draw();
    }
  }

  /** The agent has read a conversation up to a message, here or in another tab. */
  read(conversation, message) {
    for (const [id, entry] of this.unread) {
      if (entry.conversation === conversation && entry.message <= message) {
        this.unread.delete(id);
      }
    }
    this.draw();
  }

  /** The conversations with unread mentions. */
  conversations() {
    return new Set(Array.from(this.unread.values(), entry => entry.conversation));
  }

  // ── how it looks ─────────────────────────────────────────────────────────────────────────────────────────────────────

  toggle() {
    if (this.root.hidden) {
      this.root.hidden = false;
      set(this.bell, {'aria-expanded': 'true'});
      this.drawNow();
      this.root.focus();
    } else {
      this.close();
    }
  }

  close() {
    if (!this.root.hidden) {
      this.root.hidden = true;
      set(this.bell, {'aria-expanded': 'false'});
    }
  }

  draw() {
    if (!this.asked) {
      this.asked = true;
      requestAnimationFrame(() => {
        this.asked = false;
        this.drawNow();
      });
    }
  }

  drawNow() {
    const count = this.unread.size;
    set(this.bell, {'data-count': String(count),
      'aria-label': count ? `Activity: ${count} unread ${count === 1 ? 'mention' : 'mentions'}` : 'Activity: no unread mentions'});
    say(this.number, count > 99 ? '99+' : String(count));
    say(this.summary, count === 0 ? '' : `${count} unread`);
    if (this.root.hidden) {
      return;
    }
    const shown = Array.from(this.known.values()).sort((a, b) => b.id - a.id);
    this.none.hidden = shown.length > 0;
    this.older.hidden = !this.more;
    let place = this.list.firstChild;
    for (const activity of shown) {
      const item = this.item(activity);
      item.classList.toggle('new', this.unread.has(activity.id));
      if (place === item) {
        place = place.nextSibling;
      } else {
        this.list.insertBefore(item, place);
      }
    }
  }

  item(activity) {
    let item = this.items.get(activity.id);
    if (!item) {
      const at = Date.parse(activity.at);
      item = el('li', {'data-activity': activity.id}, el('button', {type: 'button', onclick: () => {
        this.close();
        this.choose(activity);
      }}, avatar(activity.name, activity.visitor),
        el('span.text', {}, el('span.row', {}, el('span.what', {}, el('b', {}, activity.author), ' mentioned you'),
          el('time', {'data-at': at, title: clock(at)}, ago(at))), el('span.said', {}, activity.text)),
        el('i.dot', {'aria-hidden': 'true'})));
      this.items.set(activity.id, item);
    }
    return item;
  }
}
