// Draws what a terminal showed over time as one SVG that plays in a loop, with CSS alone: it may stand in any page.

const [lineHeight, charWidth, margin, top] = [20, 8.4, 20, 46];
const colours = { 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341', 34: '#79c0ff', 35: '#d2a8ff', 36: '#56d4dd' };

/** `frames`: `{ atMs, text }` in order, the text with its styles; the last stands for `restMs`. */
export function drawFrames(frames, { columns, rows, restMs, title }) {
  const fromMs = frames[0].atMs;
  const totalMs = frames.at(-1).atMs - fromMs + restMs;
  const share = ms => Number((((ms - fromMs) / totalMs) * 100).toFixed(2));
  const lines = new Map();
  const idOf = line => {
    if (!lines.has(line)) lines.set(line, `l${lines.size}`);
    return lines.get(line);
  };
  const shown = Array.from({ length: rows }, (_, row) => spansOf(frames, row)).flatMap((spans, row) =>
    spans.map(({ line, startMs, endMs }) => ({
      id: idOf(line),
      row,
      start: share(startMs),
      end: endMs === undefined ? 100 : share(endMs),
    })),
  );
  const times = new Map();
  const nameOf = ({ start, end }) => {
    const key = `${start} ${end}`;
    if (!times.has(key)) times.set(key, { name: `t${times.size}`, start, end });
    return times.get(key).name;
  };
  const uses = shown.map(one => {
    const still = one.end === 100 ? ' z' : '';
    return `<use href="#${one.id}" y="${one.row * lineHeight}" class="f ${nameOf(one)}${still}"/>`;
  });
  const [width, height] = [columns * charWidth + 2 * margin, rows * lineHeight + top + margin];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<style>
.f{visibility:hidden;animation:${(totalMs / 1000).toFixed(2)}s step-end infinite}
${[...times.values()].map(keyframes).join('\n')}
.b{font-weight:bold}.d{fill:#8b929e}${Object.entries(colours)
    .map(([code, fill]) => `.c${code}{fill:${fill}}`)
    .join('')}
@media (prefers-reduced-motion:reduce){.f{animation:none}.z{visibility:visible}}
</style>
<rect width="100%" height="100%" rx="8" fill="#1b1d23"/>
${['#ff5f56', '#ffbd2e', '#27c93f'].map((fill, at) => `<circle cx="${22 + at * 20}" cy="20" r="6" fill="${fill}"/>`).join('')}
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#d7dae0" xml:space="preserve">
<defs>
${[...lines].map(([line, id]) => drawLine(line, id)).join('\n')}
</defs>
<g transform="translate(${margin} ${top + 12})">
${uses.join('\n')}
</g>
</g>
</svg>
`;
}

/** What a row showed, from when to when; nothing for the time in which it was empty. */
function spansOf(frames, row) {
  const spans = [];
  for (const { atMs, text } of frames) {
    const line = (text.split('\n')[row] ?? '').trimEnd();
    const last = spans.at(-1);
    if (last?.line === line) continue;
    if (last) last.endMs = atMs;
    spans.push({ line, startMs: atMs });
  }
  return spans.filter(({ line }) => plain(line).trim() !== '');
}

function keyframes({ name, start, end }) {
  const before = start === 0 ? '' : '0%{visibility:hidden}';
  const after = end === 100 ? '' : `${end}%{visibility:hidden}`;
  return `.${name}{animation-name:${name}}@keyframes ${name}{${before}${start}%{visibility:visible}${after}100%{visibility:${end === 100 ? 'visible' : 'hidden'}}}`;
}

export const plain = text => text.replaceAll(/\u001b\[[\d;]*m/g, '');

function drawLine(line, id) {
  let [style, column] = [{}, 0];
  const spans = [];
  for (const part of line.split(/(\u001b\[[\d;]*m)/)) {
    const codes = /^\u001b\[([\d;]*)m$/.exec(part);
    if (codes) style = restyle(style, codes[1].split(';').map(Number));
    else if (part !== '') {
      if (part.trim() !== '') spans.push(drawSpan(part, column, style));
      column += [...part].length;
    }
  }
  return `<text id="${id}">${spans.join('')}</text>`;
}

function drawSpan(part, column, style) {
  const start = part.length - part.trimStart().length;
  const x = ((column + start) * charWidth).toFixed(1).replace(/\.0$/, '');
  const names = [style.bold ? 'b' : '', style.colour ? `c${style.colour}` : style.dim ? 'd' : ''].filter(
    name => name !== '',
  );
  return `<tspan x="${x}"${names.length > 0 ? ` class="${names.join(' ')}"` : ''}>${escaped(part.trim())}</tspan>`;
}

function restyle(style, codes) {
  let next = { ...style };
  for (const code of codes) {
    if (code === 0) next = {};
    else if (code === 1) next.bold = true;
    else if (code === 2) next.dim = true;
    else if (code === 22) next = { ...next, bold: false, dim: false };
    else if (code === 39) next.colour = undefined;
    else if (colours[code]) next.colour = code;
  }
  return next;
}

/** Plain spaces would be drawn as one. */
const escaped = text =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('  ', '\u00a0\u00a0');
