// A page that cannot begin says why, instead of staying empty.

import {el} from './dom.js';

export function showProblem(root, problem) {
  root.replaceChildren(el('div.empty', {role: 'alert'}, el('img', {src: '/chat/horn.svg', alt: '', width: '56', height: '56'}),
    el('h3', {}, 'This page cannot begin'), el('p', {}, problem.message), el('p', {}, el('a', {href: '/'}, 'To the stage'))));
  root.classList.add('ready');
}
