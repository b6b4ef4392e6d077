import {Session} from './api.js';
import {showProblem} from './problem.js';
import {mountVisitor} from './visitor.js';

const root = document.getElementById('visitor');
try {
  const visiting = await mountVisitor(root, await Session.open('visitor', {}));
  visiting.focus();
} catch (problem) {
  showProblem(root, problem);
}
