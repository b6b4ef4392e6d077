// Shows with a dot and a word whether the stream is live.

import {el, say} from './dom.js';

const WORDS = {live: 'Live', connecting: 'Connecting', broken: 'Reconnecting', offline: 'Offline'};

export function presence() {
  const word = el('span', {}, WORDS.connecting);
  const root = el('span.presence', {role: 'status', 'data-state': 'connecting'}, el('i', {'aria-hidden': 'true'}), word);
  return {root, set(state) {
    root.dataset.state = state;
    say(word, WORDS[state] ?? state);
  }};
}
