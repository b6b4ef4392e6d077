// The chat's own API, by somebody who has a token.

/** Something was refused: the problem says what, and what to do next. */
export class Problem extends Error {
  constructor(status, body) {
    super(body?.detail ?? `HTTP ${status}`);
    this.status = status;
  }
}

async function call(method, path, token, body) {
  const headers = {};
  if (token) {
    headers.Authorization = `Bearer ${token}`;
  }
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  const response = await fetch(`/chat/api${path}`, {method, headers, body: body === undefined ? undefined : JSON.stringify(body)});
  const text = await response.text();
  const answer = text ? JSON.parse(text) : null;
  if (!response.ok) {
    throw new Problem(response.status, answer);
  }
  return answer;
}

/**
 * Who somebody is in this tab: kept with the tab, so that a reload is the same visitor and another tab another one. A token that is
 * not good any more (the demo was started again) is exchanged for a new one.
 */
export class Session {
  static async open(key, wish) {
    const session = new Session(key, wish);
    await session.restore() || await session.begin();
    return session;
  }

  constructor(key, wish) {
    this.key = `livechat:${key}`;
    this.wish = wish;
  }

  async restore() {
    const kept = sessionStorage.getItem(this.key);
    if (!kept) {
      return false;
    }
    try {
      this.become(await call('POST', '/session', kept, {}));
      return true;
    } catch (problem) {
      if (problem.status === 401) {
        return false;
      }
      throw problem;
    }
  }

  async begin() {
    this.become(await call('POST', '/session', null, this.wish));
  }

  become({token, user, name, project, agent, seconds}) {
    Object.assign(this, {token, user, name, project, agent, renewAt: Date.now() + seconds * 800});
    sessionStorage.setItem(this.key, token);
  }

  /**
   * A token that holds for a while: asked for by the stream whenever it connects, and before each call.
   *
   * @param renew the one that we have was not taken
   */
  async fresh(renew = false) {
    if ((renew || Date.now() > this.renewAt) && !(await this.restore())) {
      this.forget(); // it has ended, and nobody can tell any more that it was ours
    }
    return this.token;
  }

  /** Nobody knows us here any more: somebody new. */
  forget() {
    sessionStorage.removeItem(this.key);
    location.reload();
  }

  async get(path) {
    return call('GET', path, await this.fresh());
  }

  async post(path, body) {
    return call('POST', path, await this.fresh(), body);
  }
}

/** An id for something that is about to be sent: sent again, it is the same. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}
