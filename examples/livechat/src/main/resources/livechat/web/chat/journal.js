// A list of what happened, one line each, the newest first.

import {el} from './dom.js';
import {clock} from './times.js';

const KEPT = 60;

export class Journal {
  constructor() {
    this.list = el('ol.journal', {role: 'log', 'aria-live': 'polite', 'aria-label': 'What happened'});
    this.none = el('p.none', {}, 'Nothing yet. Write a message, then cause a failure.');
    this.root = el('div.happened', {}, this.none, this.list);
  }

  /** @param kind bad, good, or plain */
  add(kind, text) {
    this.none.hidden = true;
    const now = Date.now();
    this.list.prepend(el(`li.${kind}`, {}, el('time', {}, clock(now)), el('span', {}, text)));
    while (this.list.childElementCount > KEPT) {
      this.list.lastChild.remove();
    }
  }
}
