// Creates elements from text and attributes. No module of this page inserts a string as markup.

/**
 * el('p.note', {title: 'why'}, 'text', child): a tag with classes, attributes, and children that are nodes or text. A property
 * that begins with "on" is a listener; one that is false or null is left out.
 */
export function el(what, attributes, ...children) {
  const [tag, ...classes] = what.split('.');
  const element = document.createElement(tag || 'div');
  element.className = classes.join(' ');
  set(element, attributes);
  element.append(...children.flat().filter(child => child !== null && child !== undefined));
  return element;
}

export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else if (value === false || value === null || value === undefined) {
      element.removeAttribute(name);
    } else {
      element.setAttribute(name, value === true ? '' : value);
    }
  }
  return element;
}

/** Changes the text only if it differs, because screen readers announce every change of some elements. */
export function say(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

const SVG = 'http://www.w3.org/2000/svg';

/** An SVG icon drawn with strokes in a 24 × 24 box. */
export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', ICONS[name]);
  svg.append(path);
  return svg;
}

const ICONS = {
  send: 'M4 12 20 4l-5 16-3.5-6.5z M11.5 13.5 20 4',
  clock: 'M12 7v5l3 2 M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  tick: 'M5 13l4 4L19 7',
  ticks: 'M2 13l4 4 9-10 M11 15.5l1.5 1.5L22 7',
  bell: 'M6 17V11a6 6 0 0 1 12 0v6l1.5 2h-15z M10 21h4',
  skull: 'M12 3a8 8 0 0 0-5 14.2V20h10v-2.8A8 8 0 0 0 12 3z M9 11.5v.5 M15 11.5v.5 M10.5 20v-2 M13.5 20v-2',
  scissors: 'M6 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6z M6 21a3 3 0 1 0 0-6 3 3 0 0 0 0 6z M8.5 7.5 20 18 M8.5 16.5 20 6',
  plug: 'M9 3v5 M15 3v5 M7 8h10v4a5 5 0 0 1-10 0z M12 17v4',
  lock: 'M6 11h12v9H6z M8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  stumble: 'M12 3 2.5 20h19z M12 10v4.5 M12 17v.5',
  play: 'M8 5l11 7-11 7z',
  stop: 'M7 7h10v10H7z',
  check: 'M4.5 12.5l5 5L20 7',
  cross: 'M6 6l12 12 M18 6 6 18',
  dots: 'M6 12h.1 M12 12h.1 M18 12h.1',
  down: 'M12 5v14 M6 13l6 6 6-6',
  back: 'M14 6l-6 6 6 6',
};
