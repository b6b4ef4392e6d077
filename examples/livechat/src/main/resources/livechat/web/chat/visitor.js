// The visitor's page: one conversation, with the state of each message.

import {newId} from './api.js';
import {avatar} from './avatar.js';
import {composer} from './composer.js';
import {el} from './dom.js';
import {openOutbox} from './outbox.js';
import {presence} from './presence.js';
import {Scroll} from './scroll.js';
import {openStream} from './stream.js';
import {Talk} from './talk.js';
import {keepFresh} from './times.js';

const IDEAS = ['Where is my parcel 4711?', 'How does this work?', 'Is @anna there?'];
const PATIENCE = 20000;

/**
 * @param root where it goes
 * @param session the visitor's session
 * @param watch {sent(message), acknowledged(message, receipt), begins(position), seen(message, position), state(state)}:
 *     callbacks of the counter
 */
export async function mountVisitor(root, session, watch = {}) {
  const talk = new Talk();
  const author = {kind: 'VISITOR', id: session.user, name: session.name};
  const dot = presence();
  const scroll = new Scroll(message => message.author.kind === 'VISITOR', {
    label: 'Messages',
    empty: [el('img', {src: '/chat/horn.svg', alt: '', width: '56', height: '56'}), el('h3', {}, 'How can we help?'),
      el('p', {}, 'Pip answers at once. Call a person with @anna, @ben or @mira.'),
      el('div.ideas', {}, IDEAS.map(idea => el('button', {type: 'button', onclick: () => say(idea)}, idea)))],
  });
  const outbox = openOutbox(session, {
    acknowledged(message, receipt) {
      talk.advance(message, 'queued');
      watch.acknowledged?.(message, receipt);
      scroll.show(talk);
    },
    refused(message, reason) {
      talk.advance(message, 'refused');
      console.warn('refused:', reason);
      scroll.show(talk);
    },
    stalled: reason => composing.setStalled(reason),
  });

  function say(text, pilot = false) {
    const message = {client: newId(), author, text, mentions: [], pilot};
    talk.write(message);
    watch.sent?.(message);
    outbox.add(message);
    if (!pilot) {
      scroll.atEnd = true;
    }
    scroll.show(talk);
    return message;
  }

  /** The companion is shown as writing while the last message to it has no answer. */
  let called = null;
  let calledAt = 0;
  function expect(message) {
    if (message.author.kind === 'VISITOR' && !message.pilot) {
      called = message.id;
      calledAt = Date.now();
    } else if (message.author.kind === 'COMPANION' && message.answers >= called) {
      called = null;
    }
    scroll.setTyping(called ? 'Pip is writing' : null);
  }
  setInterval(() => {
    if (called && Date.now() - calledAt > PATIENCE) {
      called = null;
      scroll.setTyping(null);
    }
  }, 1000);

  const composing = composer({label: 'Your message', placeholder: 'Write a message…', send: text => say(text)});
  root.replaceChildren(
    el('header.head', {}, el('img', {src: '/chat/horn.svg', alt: '', width: '30', height: '30'}),
      el('div.who', {}, el('h2', {}, 'Acme Post'), el('p', {}, `You are ${session.name}`)), dot.root),
    scroll.root, composing.root);
  root.classList.add('ready');
  keepFresh(root);
  scroll.show(talk);

  openStream({
    session,
    outbox,
    rooms: [`user:${session.user}`],
    snapshot: async () => {
      const {position, messages, read} = await session.get('/conversation');
      messages.forEach(message => talk.save(message));
      Object.entries(read).forEach(([agent, message]) => talk.mark(agent, message));
      scroll.show(talk);
      watch.begins?.(position);
      return position;
    },
    event(type, data, position) {
      if (type === 'message:created') {
        watch.seen?.(data, position);
        if (talk.save(data)) {
          expect(data);
        }
      } else if (type === 'conversation:read') {
        talk.mark(data.agent, data.message);
      }
      scroll.show(talk);
    },
    state(state) {
      dot.set(state);
      watch.state?.(state);
    },
  });
  return {say, talk, scroll, focus: () => composing.field.focus()};
}
