export const scriptPath = '/refresh.js';

/**
 * Brings the page up to date by changing only what differs, so that focus, scrolling and a marked text stay. News are
 * told to screen readers once. Without it the page loads itself again from time to time.
 */
export const script = `'use strict';
const everyMs = 5000;
const [news, lost] = ['news', 'lost'].map(id => document.getElementById(id));
let isBusy = false;

const keyOf = node => node.dataset?.key;

/** Children that carry a key stay themselves wherever they stand; the others go by their order. */
function become(old, now) {
  if (old.isEqualNode(now)) return;
  if (old.nodeType !== 1 || old.nodeName !== now.nodeName) return old.replaceWith(document.importNode(now, true));
  for (const { name } of [...old.attributes]) if (!now.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of now.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  const wanted = new Set([...now.childNodes].map(keyOf));
  for (const node of [...old.childNodes]) if (!wanted.has(keyOf(node))) node.remove();
  let at = old.firstChild;
  const leave = node => {
    at = node.nextSibling;
    node.remove();
  };
  for (const node of [...now.childNodes]) {
    const key = keyOf(node);
    while (key !== undefined && at && keyOf(at) === undefined) leave(at);
    const same = key === undefined ? at : [...old.childNodes].find(each => keyOf(each) === key);
    if (!same || keyOf(same) !== key) {
      old.insertBefore(document.importNode(node, true), at);
      continue;
    }
    if (same === at) at = at.nextSibling;
    else old.insertBefore(same, at);
    become(same, node);
  }
  while (at) leave(at);
}

function say(text) {
  lost.textContent = text;
  lost.hidden = text === '';
}

async function refresh() {
  if (isBusy || document.hidden || !getSelection().isCollapsed) return;
  isBusy = true;
  try {
    const reply = await fetch(location.href, { cache: 'no-store' });
    if (reply.status === 403) return say('This page is no longer up to date. Open a new link: hookloop serve --link prints it.');
    const focused = document.activeElement.getAttribute('href');
    const next = new DOMParser().parseFromString(await reply.text(), 'text/html');
    for (const name of ['main', 'footer', 'header .state'])
      become(document.querySelector(name), next.querySelector(name));
    // What has moved is another element now.
    if (focused !== null && document.activeElement === document.body)
      document.querySelector('a[href="' + CSS.escape(focused) + '"]')?.focus({ preventScroll: true });
    if (document.title !== next.title) news.textContent = document.querySelector('h1').textContent;
    document.title = next.title;
    say('');
  } catch {
    say('This page is no longer up to date: hookloop serve does not answer.');
  } finally {
    isBusy = false;
  }
}

setInterval(refresh, everyMs);
document.addEventListener('visibilitychange', refresh);
`;
