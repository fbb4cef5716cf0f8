// npm run picture: plays `hookloop demo` in a terminal (tmux) and draws its fullest moment as docs/demo.svg.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installDependencies, root } from './setup.mjs';

const [columns, rows] = [100, 32];
const colours = { 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341', 34: '#79c0ff', 35: '#d2a8ff', 36: '#56d4dd' };
const session = `hookloop-picture-${process.pid}`;
const tmux = (...args) => execFileSync('tmux', ['-L', session, ...args], { encoding: 'utf8' });

installDependencies();
execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: ['ignore', 2, 2] });
const frames = await play();
const frame = frames.findLast(isFullest) ?? frames.at(-1);
writeFileSync(join(root, 'docs/demo.svg'), draw(frame));
console.error(`docs/demo.svg: one of ${frames.length} frames`);

/** Every frame until the summary is there. */
async function play() {
  const program = join(root, 'dist/bin/hookloop.cjs');
  const command = `env -u CI -u NO_COLOR '${process.execPath}' '${program}' demo; sleep 30`;
  tmux('-f', '/dev/null', 'new-session', '-d', '-s', session, '-x', String(columns), '-y', String(rows), command);
  const seen = [];
  try {
    for (let count = 0; count < 400; count += 1) {
      const text = tmux('capture-pane', '-e', '-p', '-t', session);
      if (text !== seen.at(-1)) seen.push(text);
      if (text.includes('What to try next')) break;
      await sleep(50);
    }
  } finally {
    tmux('kill-server');
  }
  return seen;
}

/** The live area is there, and as much as possible above it. */
function isFullest(text) {
  return /iteration .*2 of/.test(plain(text)) && plain(text).includes('refused');
}

function plain(text) {
  return text.replaceAll(/\u001b\[[\d;]*m/g, '');
}

function draw(text) {
  const lines = text.trimEnd().split('\n');
  const [width, height, lineHeight, charWidth] = [columns * 8.4 + 40, lines.length * 20 + 56, 20, 8.4];
  const body = lines.map((line, index) => drawLine(line, 20, 58 + index * lineHeight, charWidth)).join('\n');
  const dots = ['#ff5f56', '#ffbd2e', '#27c93f']
    .map((colour, index) => `<circle cx="${22 + index * 20}" cy="20" r="6" fill="${colour}"/>`)
    .join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="hookloop demo in a terminal: a gate has failed and was mended, a push was refused, and the second iteration is on its way">
<rect width="100%" height="100%" rx="8" fill="#1b1d23"/>
${dots}
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#d7dae0" xml:space="preserve">
${body}
</g>
</svg>
`;
}

function drawLine(line, x, y, charWidth) {
  let [style, column] = [{}, 0];
  const spans = [];
  for (const part of line.split(/(\u001b\[[\d;]*m)/)) {
    const codes = /^\u001b\[([\d;]*)m$/.exec(part);
    if (codes) style = restyle(style, codes[1].split(';').map(Number));
    else if (part !== '') {
      spans.push(`<tspan x="${(x + column * charWidth).toFixed(1)}"${attributes(style)}>${escaped(part)}</tspan>`);
      column += [...part].length;
    }
  }
  return `<text y="${y}">${spans.join('')}</text>`;
}

function restyle(style, codes) {
  let next = { ...style };
  for (const code of codes) {
    if (code === 0) next = {};
    else if (code === 1) next.bold = true;
    else if (code === 2) next.dim = true;
    else if (code === 22) next = { ...next, bold: false, dim: false };
    else if (code === 39) next.colour = undefined;
    else if (colours[code]) next.colour = colours[code];
  }
  return next;
}

function attributes({ bold, dim, colour }) {
  return [colour ? ` fill="${colour}"` : dim ? ' fill="#8b929e"' : '', bold ? ' font-weight="bold"' : ''].join('');
}

function escaped(text) {
  // Plain spaces would be drawn as one.
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll(' ', '\u00a0');
}
