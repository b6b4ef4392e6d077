// The input field: it grows with its text, sends with Enter, and says when messages are not accepted.

import {el, icon, say} from './dom.js';

const LONGEST = 2000;

export function composer({label, placeholder, send}) {
  const field = el('textarea', {rows: '1', maxlength: String(LONGEST), 'aria-label': label, placeholder, autocomplete: 'off',
    enterkeyhint: 'send'});
  const button = el('button.send', {type: 'submit', 'aria-label': 'Send', title: 'Send (Enter)'}, icon('send'));
  const note = el('p.note', {role: 'status', hidden: true});
  const form = el('form.composer', {}, note, field, button);
  const fit = () => {
    field.style.height = 'auto';
    field.style.height = `${Math.min(field.scrollHeight, 120)}px`;
    button.disabled = field.value.trim() === '';
  };
  form.addEventListener('submit', event => {
    event.preventDefault();
    const text = field.value.trim();
    if (text) {
      field.value = '';
      fit();
      send(text);
    }
    field.focus();
  });
  field.addEventListener('keydown', event => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  field.addEventListener('input', fit);
  button.disabled = true;
  return {root: form, field,
    setEnabled(on) {
      field.disabled = !on;
      button.disabled = !on || field.value.trim() === '';
    },
    /** Why messages are not accepted at the moment; null if they are. */
    setStalled(reason) {
      note.hidden = reason === null;
      say(note, reason === null ? '' : `${reason} Your message stays on this page and is sent again automatically.`);
    }};
}
