// The chat's own API, called with a token.

/** An error response: it says what is wrong and what to do next. */
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
 * The identity of this tab. It is stored with the tab, so that a reload keeps the visitor and another tab is another visitor. A token
 * that is no longer valid (the demo was restarted) is exchanged for a new one.
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
   * A token that is still valid for a while. The stream asks for it whenever it connects, and so does each call.
   *
   * @param renew true if the server has refused the current token
   */
  async fresh(renew = false) {
    if ((renew || Date.now() > this.renewAt) && !(await this.restore())) {
      this.forget(); // it has expired, so the server can no longer recognise this session
    }
    return this.token;
  }

  /** The server no longer knows this session: start a new one. */
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

/** An id for a message that is about to be sent. A repeated send has the same id. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}
