import {el} from './dom.js';

const COLOURS = 8;

/** Two letters on a colour that stays the same for an id. */
export function avatar(name, id) {
  let hash = 0;
  for (const c of id) {
    hash = (hash * 31 + c.codePointAt(0)) >>> 0;
  }
  const letters = name.split(/\s+/).slice(0, 2).map(word => word[0] ?? '').join('');
  return el(`span.avatar.c${hash % COLOURS}`, {'aria-hidden': 'true'}, letters.toUpperCase());
}
