import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { rememberProject } from '../../src/app/projects.ts';
import { tellSkipped } from '../../src/session/file-store/fixtures/programs.ts';
import { childFiles } from '../../src/session/paths.ts';
import { writeInto, writeSession } from '../../src/session/state/fixtures/project.ts';
import { closed, event, finished, ranHook, started, wholeSession } from '../../src/session/state/fixtures/records.ts';
import { bundleForTests, eventually, type Project, type Started } from '../loop/project.ts';
import { expectGood, sizes, useBrowser, whyNoBrowser } from './browser.ts';

const bundled = await bundleForTests();

/** Two tasks, of which the first is done; then it asks, and then it takes its time. */
const agent = `
cat > /dev/null
echo >> ~/turns
case $(wc -l < ~/turns) in
  1) ~/hookloop task add "Write the parser" && ~/hookloop task done T1
     ~/hookloop task add "Deploy it <b>now</b> to the three regions that have asked for it" && ~/hookloop task start T2 ;;
  2) ~/hookloop breakpoint --title "Deploy release 2.4?" --question "All 214 tests pass and the staging run was clean." ;;
  *) exec sleep 600 ;;
esac
`;
const pipeline = `
stages:
  - { name: plan, prompt: Plan it., termination: { type: fixed, iterations: 1 } }
  - { name: build, prompt: Build it., termination: { type: fixed, iterations: 5 } }
`;
const odd = '<script>document.title="won"</script>';

let project: Project;
let serving: Started;
let running: Started;

describe.skipIf(tellSkipped('the dashboard in a browser', whyNoBrowser))('the dashboard in a browser', () => {
  const contextFor = useBrowser();

  beforeAll(async () => {
    project = bundled.project({ '~/agent.sh': agent, 'pipelines/release.yaml': pipeline });
    await writePast();
    running = project.start([
      'run',
      'release',
      '--session',
      'release-2-4',
      '--agent',
      'command:sh ~/agent.sh',
      '--quiet',
    ]);
    serving = project.start(['serve', '--port', '0']);
    await eventually(() => serving.stderr().includes('/enter/') && approvals().length > 0);
  }, 60_000);
  afterAll(async () => {
    for (const each of [running, serving]) {
      each?.process.kill('SIGTERM');
      await each?.ended;
    }
  });

  const approvals = (): { id: string }[] => JSON.parse(project.run(['approvals', '--json']).stdout);
  const link = (): string => project.run(['serve', '--link']).stdout.trim();

  /** Sessions that ended before anyone looked. */
  async function writePast(): Promise<void> {
    const other = join(project.home, 'work', 'a-rather-long-name-of-a-project-that-goes-on');
    mkdirSync(join(other, '.git'), { recursive: true });
    for (const root of [project.project, other]) rememberProject({ HOME: project.home }, root);
    const nowMs = Date.now();
    await writeSession(project.project, 'parser', wholeSession, nowMs - 3_600_000);
    const failing = [
      ...wholeSession.slice(0, -2),
      ...ranHook(31, 's0/i2/x', `lint ${odd}`, 'iteration.completed', finished(1, `${odd} is not a word`, 'block')),
      [40, closed('failed', `the gate lint ${odd} did not pass`)],
    ] as const;
    const paths = await writeSession(other, 'nightly-20260824-101500', failing, nowMs - 7_200_000);
    await writeInto(childFiles(paths, 'on_stage_complete', 2), wholeSession, nowMs - 7_100_000);
    await writeSession(
      other,
      'crashed',
      [
        [0, started({ plan: 1, build: 25 })],
        [9, event('stage.starting', { stage: 'plan' })],
      ],
      nowMs - 90_000,
    );
  }

  async function enter(options: BrowserContextOptions): Promise<{ context: BrowserContext; page: Page }> {
    const context = await contextFor(options);
    const page = await context.newPage();
    await page.goto(link());
    return { context, page };
  }

  test('has nothing that axe finds wrong, and nothing sticks out', async () => {
    const { context, page } = await enter({ javaScriptEnabled: true });
    const refused: string[] = [];
    page.on('console', message => refused.push(message.text()));
    const visit = async (name: string, go: () => Promise<unknown>): Promise<void> => {
      await go();
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expectGood(page, name);
    };
    await visit('overview', () => page.reload());
    await visit('running', () => page.getByRole('link', { name: 'release-2-4' }).first().click());
    await page.goto(new URL('/', page.url()).href);
    await visit('failed', () => page.getByRole('link', { name: 'nightly-20260824-101500' }).click());
    expect(await page.title()).toBe('nightly-20260824-101500: failed – Hookloop');
    expect(await page.getByText(`${odd} is not a word`).count()).toBe(1);
    await visit('child', () => page.getByRole('link', { name: 'on_stage_complete-2' }).click());
    await page.goto(new URL('/', page.url()).href);
    await visit('asked', () => page.getByRole('link', { name: 'Look and answer' }).click());
    await page.getByRole('link', { name: 'All sessions' }).click();
    await page.getByRole('heading', { name: '1 question waits for you' }).waitFor();
    await context.clearCookies();
    await visit('closed', () => page.reload());
    expect(refused.filter(text => !text.includes('status of 4'))).toEqual([]);
  }, 120_000);

  test('opens with a link of which nothing stays in the browser but a cookie that no script reads', async () => {
    const { context, page } = await enter({ javaScriptEnabled: true });
    expect(new URL(page.url()).pathname).toBe('/');
    expect(await page.evaluate('document.cookie')).toBe('');
    const [cookie, ...more] = await context.cookies();
    expect(more).toEqual([]);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
    const { token } = JSON.parse(project.read('~/.local/state/hookloop/serve.json'));
    expect(await page.content()).not.toContain(token);
    expect(cookie!.value).not.toContain(token);
    await page.goBack();
    expect(page.url()).toBe('about:blank');
  });

  test('also when the link stands on another site', async () => {
    const elsewhere = await listening(`<a href="${link()}">dashboard</a>`);
    const page = await (await contextFor({})).newPage();
    await page.goto(`http://localhost:${elsewhere}/`);
    await page.getByRole('link').click();
    await page.getByRole('heading', { name: '1 question waits for you' }).waitFor();
    expect(page.url()).not.toContain('enter');
  });

  test('tells nothing to other web pages, also to those of this computer', async () => {
    const { page } = await enter({ javaScriptEnabled: true });
    const url = page.url();
    const evil = await listening(`<iframe src="${url}"></iframe><script>
      fetch(${JSON.stringify(url)}, { credentials: 'include', mode: 'no-cors' })
        .then(reply => { document.title = 'read ' + reply.status + reply.type; }, () => { document.title = 'refused'; })</script>`);
    await page.goto(`http://127.0.0.1:${evil}/`);
    await page.waitForFunction("document.title !== ''");
    expect(await page.title()).toBe('refused');
    expect(await page.frames()[1]!.getByText('waits for you').count()).toBe(0);
  });

  test('leads to the question without script and with the keyboard alone, and keeps up to date by itself', async () => {
    const { context, page } = await enter({ viewport: sizes.desktop });
    expect(await page.locator('head meta[http-equiv=refresh]').count()).toBe(1);
    expect(await page.getByRole('main').textContent()).toMatch(
      /1 question waits for you.*Deploy release 2\.4\?.*All 214 tests pass.*ago.*Expires\s*never.*Running.*release-2-4.*waits for you.*Iteration 1 of 5.*build \(2 of 2\).*T2 Deploy it <b>now<\/b>.*1 of 2.*Process\s*\d+.*Recent.*parser.*completed.*2 iterations.*hookloop show parser -C .*nightly.*failed.*hookloop resume nightly-20260824-101500 -C ~\/work\//s,
    );
    const live = await (
      await contextFor({ javaScriptEnabled: true, storageState: await context.storageState() })
    ).newPage();
    await live.goto(page.url());
    await live.getByRole('link', { name: 'parser' }).focus();
    const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent');
    for (let presses = 0; (await focused()) !== 'Look and answer'; presses += 1) {
      expect(presses).toBeLessThan(12);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Approved. Thank you').waitFor();
    await page.getByRole('link', { name: 'All sessions' }).click();
    await page.getByRole('heading', { name: '1 session is running' }).waitFor();
    await live.getByRole('heading', { name: '1 session is running' }).waitFor({ timeout: 15_000 });
    expect(await live.evaluate('document.activeElement.textContent')).toBe('parser');
    expect(await live.getByRole('status').textContent()).toBe(
      await live.getByRole('heading', { level: 1 }).textContent(),
    );
    expect(await live.title()).toContain('running');
    serving.process.kill('SIGTERM');
    await live.getByRole('alert').getByText('does not answer').waitFor({ timeout: 15_000 });
  }, 60_000);

  async function listening(text: string): Promise<number> {
    const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(text));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    return (server.address() as AddressInfo).port;
  }
});
