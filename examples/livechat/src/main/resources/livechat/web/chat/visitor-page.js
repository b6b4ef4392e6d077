import {Session} from './api.js';
import {mountVisitor} from './visitor.js';

const visiting = await mountVisitor(document.getElementById('visitor'), await Session.open('visitor', {}));
visiting.focus();
