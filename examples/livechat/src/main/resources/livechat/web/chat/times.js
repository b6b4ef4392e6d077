// Times for people.

const CLOCK = new Intl.DateTimeFormat(undefined, {hour: '2-digit', minute: '2-digit'});
const SECONDS = new Intl.DateTimeFormat(undefined, {hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23'});
const DAY = new Intl.DateTimeFormat(undefined, {day: 'numeric', month: 'short'});

/** "now", "4 min", then the time, then the day. */
export function ago(at, now = Date.now()) {
  const minutes = Math.floor((now - at) / 60000);
  if (minutes < 1) {
    return 'now';
  }
  if (minutes < 60) {
    return `${minutes} min`;
  }
  return now - at < 20 * 3600000 ? CLOCK.format(at) : DAY.format(at);
}

export function clock(at) {
  return SECONDS.format(at);
}

/** "640 ms", "2.1 s", "3 min". */
export function span(ms) {
  if (ms < 1000) {
    return `${Math.round(ms)} ms`;
  }
  return ms < 90000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60000)} min`;
}

/** Keeps every time element under a root fresh. */
export function keepFresh(root) {
  setInterval(() => {
    const now = Date.now();
    for (const time of root.querySelectorAll('time[data-at]')) {
      const text = ago(Number(time.dataset.at), now);
      if (time.textContent !== text) {
        time.textContent = text;
      }
    }
  }, 15000);
}
