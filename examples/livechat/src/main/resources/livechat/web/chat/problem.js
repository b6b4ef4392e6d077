// Shows why a page cannot be loaded, instead of leaving it empty.

import {el} from './dom.js';

export function showProblem(root, problem) {
  root.replaceChildren(el('div.empty', {role: 'alert'}, el('img', {src: '/chat/horn.svg', alt: '', width: '56', height: '56'}),
    el('h3', {}, 'This page cannot be loaded'), el('p', {}, problem.message), el('p', {}, el('a', {href: '/'}, 'Back to the demo'))));
  root.classList.add('ready');
}
