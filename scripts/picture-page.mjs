// node scripts/picture-page.mjs: opens the approval page and the dashboard in chromium and draws them as docs/approval.svg and docs/dashboard.svg.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { createWorld, playApproval, playDashboard } from './picture-scenes.mjs';
import { root } from './setup.mjs';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** What differs from run to run, and what stands in its place: a selector that finds one element, what of its text, and by what. */
const steady = {
  approval: [
    ['dt:text-is("Asked") + dd', /.*/, '15 Nov 2026, 10:03 UTC'],
    ['dt:text-is("Expires") + dd', /.*/, '16 Nov 2026, 10:03 UTC (in 23 hours)'],
  ],
  dashboard: [
    ['dt:text-is("Asked") + dd', /.*/, '2 minutes ago'],
    ['.asks .command', /\S+$/, 'h7fr5wbt'],
    ['dt:text-is("Elapsed") + dd', /.*/, '14m06s'],
    ['dt:text-is("Process") + dd', /.*/, '4711'],
    ['li:has-text("nightly") .about', /·.*/, '· 3m10s · started 8 h ago'],
    ['li:has-text("tasks") .about', /·.*/, '· 6m32s · started 1 h ago'],
    ['li:has-text("review") .about', /·.*/, '· 4m05s · started 2 h ago'],
    ['footer time', /.*/, '10:05:10'],
  ],
};

execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: ['ignore', 2, 2] });
await takePicture('approval', playApproval, 760);
await takePicture('dashboard', playDashboard, 820);

async function takePicture(name, play, width) {
  const world = createWorld();
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  try {
    const page = await browser.newPage({ viewport: { width, height: 400 }, javaScriptEnabled: false });
    await page.goto(await play(world));
    for (const [selector, pattern, text] of steady[name]) await replaceText(page.locator(selector), pattern, text);
    writeFileSync(join(root, `docs/${name}.svg`), await page.evaluate(drawPage));
    console.error(`docs/${name}.svg`);
  } finally {
    await browser.close();
    await world.end();
  }
}

async function replaceText(element, pattern, text) {
  const found = await element.textContent();
  if (!pattern.test(found)) throw new Error(`"${found}" has nothing of ${pattern}`);
  await element.evaluate((node, words) => node.replaceChildren(words), found.replace(pattern, text));
}

/**
 * Runs in the page. In a picture the svg is the root, so that `:root`, `rem` and the colour scheme mean what they do in the
 * page; but it is shown in any size, so that rules for narrow windows would come at the wrong time, and nothing is a link.
 */
function drawPage() {
  const { body } = document;
  const [width, height] = [innerWidth, Math.ceil(document.documentElement.getBoundingClientRect().height)];
  const kept = new Set(['class', 'href', 'rows', 'width', 'height', 'viewBox', 'preserveAspectRatio']);
  for (const node of body.querySelectorAll('script, [hidden], .unseen')) node.remove();
  for (const node of body.querySelectorAll('*'))
    for (const { name } of [...node.attributes]) if (!kept.has(name)) node.removeAttribute(name);
  for (const link of body.querySelectorAll('a')) link.setAttribute('href', '#');
  const isUsed = ({ selectorText, conditionText }) =>
    selectorText ? document.querySelector(selectorText) : !/width/.test(conditionText);
  const rules = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules].filter(isUsed));
  return `<!-- biome-ignore-all lint/a11y: a picture, in which nothing can be used -->
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title>${document.title}</title>
<style>
a { text-decoration: underline; }
${rules.map(({ cssText }) => cssText).join('\n')}
body { background: none; }
</style>
<rect width="100%" height="100%" rx="8" style="fill:var(--bg)"/>
<foreignObject width="100%" height="100%">
${new XMLSerializer().serializeToString(body)}
</foreignObject>
</svg>
`;
}
