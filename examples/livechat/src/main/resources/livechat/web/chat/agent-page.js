// /agent.html?as=ben: one of the three.

import {Session} from './api.js';
import {mountAgent} from './agent.js';

const as = new URLSearchParams(location.search).get('as') ?? 'anna';
await mountAgent(document.getElementById('agent'), await Session.open(`agent:${as}`, {agent: as}));
