// A snapshot, and the stream from its position on. The gateway's client keeps the stream open, resumes at its position, and reports
// when missed events are no longer available. Then another snapshot is fetched.

import {connect} from '/postrider.js';

const TOPIC = 'chat';
const REST = 1000;

/**
 * @param snapshot fetches the current state and returns its position
 * @param event (type, data, position, user) for each event after it, once and in order
 * @param state live, connecting, broken or offline
 */
export function openStream({session, rooms, snapshot, event, state}) {
  const troubled = () => state(navigator.onLine ? 'broken' : 'offline');

  async function begin() {
    try {
      const position = await snapshot();
      connect({
        topic: TOPIC,
        rooms,
        position,
        token: ({renew}) => session.fresh(renew),
        onEvent: (envelope, at) => event(envelope.type, envelope.data, at, envelope.userid),
        onSnapshot: snapshot,
        onState(now, {status}) {
          if (now === 'open') {
            state('live');
          } else if (now === 'waiting') {
            troubled();
          } else if (now === 'refused' && status === 401) {
            session.forget(); // the demo was restarted: start a new session
          }
        },
      });
    } catch (problem) {
      if (problem.status === 401) {
        session.forget();
      }
      troubled();
      setTimeout(begin, REST);
    }
  }

  state('connecting');
  addEventListener('offline', troubled);
  begin();
}
