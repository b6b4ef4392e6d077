// /agent.html?as=ben: the page of one of the three agents.

import {Session} from './api.js';
import {mountAgent} from './agent.js';
import {showProblem} from './problem.js';

const as = new URLSearchParams(location.search).get('as') ?? 'anna';
const root = document.getElementById('agent');
try {
  await mountAgent(root, await Session.open(`agent:${as}`, {agent: as}));
} catch (problem) {
  showProblem(root, problem);
}
