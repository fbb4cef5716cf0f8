import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';

const executablePath = '/usr/bin/chromium';
export const whyNoBrowser = existsSync(executablePath) ? false : 'chromium is not installed';
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Where pictures go, for whoever wants to look: HOOKLOOP_PICTURES=/tmp/pictures. */
const pictures = process.env['HOOKLOOP_PICTURES'];

export const sizes = { phone: { width: 360, height: 740 }, desktop: { width: 1280, height: 900 } } as const;

/** A browser for the time of a describe block. */
export function useBrowser(): (options: BrowserContextOptions) => Promise<BrowserContext> {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  }, 60_000);
  afterAll(() => browser?.close());
  return async options => {
    // Whoever reads it may have scripts switched off.
    const context = await browser.newContext({ javaScriptEnabled: false, ...options });
    onTestFinished(() => context.close());
    return context;
  };
}

export async function picture(page: Page, name: string): Promise<void> {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

/**
 * In every size and colour scheme: nothing that axe finds wrong, and nothing that sticks out. The page has to have its
 * scripts, for axe is one.
 */
export async function expectGood(page: Page, name: string): Promise<void> {
  await page.evaluate(axe);
  for (const [size, viewport] of Object.entries(sizes)) {
    await page.setViewportSize(viewport);
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await picture(page, `${name}-${size}-${scheme}`);
      await expectGoodNow(page, `${name} on a ${size} in ${scheme}`);
    }
  }
}

async function expectGoodNow(page: Page, state: string): Promise<void> {
  const { scroll, client } = await page.evaluate<{ scroll: number; client: number }>(
    '({ scroll: document.documentElement.scrollWidth, client: document.documentElement.clientWidth })',
  );
  expect({ state, scroll }).toEqual({ state, scroll: client });
  const { violations, passes } = await page.evaluate<{
    violations: { id: string; nodes: { html: string }[] }[];
    passes: unknown[];
  }>('axe.run(document)');
  expect({
    state,
    found: violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`),
  }).toEqual({ state, found: [] });
  expect(passes.length).toBeGreaterThan(10);
}
