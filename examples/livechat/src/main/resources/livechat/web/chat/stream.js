// A snapshot, and the stream from its position on. The gateway's client keeps the stream open, resumes at its position, and reports
// when missed events are no longer available. Then another snapshot is fetched.

import {connect} from '/postrider.js';

const TOPIC = 'chat';

/** Messages come and go over one WebSocket; with ?transport=http, they come by Server-Sent Events and go by POST. */
export const OVER_HTTP = new URLSearchParams(location.search).get('transport') === 'http';
const REST = 1000;

/**
 * @param snapshot fetches the current state and returns its position
 * @param event (type, data, position, user) for each event after it, once and in order
 * @param state live, connecting, broken or offline
 * @param outbox the messages that this page sends
 */
export function openStream({session, rooms, snapshot, event, state, outbox}) {
  function tell(now) {
    state(now);
    outbox.setLive?.(now === 'live');
  }
  const troubled = () => tell(navigator.onLine ? 'broken' : 'offline');

  async function begin() {
    try {
      const position = await snapshot();
      const stream = connect({
        topic: TOPIC,
        transport: OVER_HTTP ? 'sse' : 'websocket',
        rooms,
        position,
        token: ({renew}) => session.fresh(renew),
        onEvent: (envelope, at) => event(envelope.type, envelope.data, at, envelope.userid),
        onSnapshot: snapshot,
        onState(now, {status}) {
          if (now === 'open') {
            tell('live');
          } else if (now === 'waiting') {
            troubled();
          } else if (now === 'refused' && status === 401) {
            session.forget(); // the demo was restarted: start a new session
          }
        },
        onDelay: problem => outbox.setDelayed?.(problem?.detail ?? null),
      });
      outbox.attach?.(stream);
    } catch (problem) {
      if (problem.status === 401) {
        session.forget();
      }
      troubled();
      setTimeout(begin, REST);
    }
  }

  tell('connecting');
  addEventListener('offline', troubled);
  begin();
}
