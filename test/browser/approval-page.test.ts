import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createUser, never, opened, request } from '../../src/people/fixtures/user.ts';
import { tellSkipped } from '../../src/session/file-store/fixtures/programs.ts';
import { expectGood, picture, sizes, useBrowser, whyNoBrowser } from './browser.ts';

const plan = `# Release 2.4\n\nWhat changes:\n\n1. **Tokens** expire after \`15 min\`.\n2. Old links lead to [the guide](https://example.com/guide).\n\n| step | who |\n| --- | --- |\n| build | ci |\n| deploy | you |\n\n> Rollback takes two minutes.\n\n\`\`\`sh\nnpm run deploy -- --region eu-central-1 --with-a-rather-long-flag-that-does-not-fit-on-a-phone\n\`\`\`\n`;
const diff = `diff --git a/src/token.ts b/src/token.ts\n--- a/src/token.ts\n+++ b/src/token.ts\n@@ -1,4 +1,4 @@\n export function expires(now: number): number {\n-  return now + 24 * 60 * 60 * 1000; // a day\n+  return now + 15 * 60 * 1000; // a quarter of an hour, as the security review asked for in its third round\n }\n`;

describe.skipIf(tellSkipped('the approval page in a browser', whyNoBrowser))('the page in a browser', () => {
  const contextFor = useBrowser();

  const askedIn = async (more: Parameters<typeof request>[0] = {}) => {
    const world = createUser();
    writeFileSync(join(world.root, 'plan.md'), plan);
    writeFileSync(join(world.root, 'token.diff'), diff);
    const files = ['plan.md', 'token.diff', '.env'];
    writeFileSync(join(world.root, '.env'), 'A=b');
    const title = 'Deploy release 2.4 to production?';
    const question =
      'All 214 tests pass and the staging run was clean.\nThe change to token lifetimes needs a person to say yes.';
    return opened(await world.approvals().open(await request({ title, question, files, ...more })));
  };

  const pageFor = async (options: BrowserContextOptions): Promise<Page> => (await contextFor(options)).newPage();

  test('has nothing that axe finds wrong, and nothing sticks out', async () => {
    const waiting = await askedIn();
    const approved = await askedIn();
    await fetch(`${approved.callbackUrl}?action=approve&message=Go%20ahead,%20after%20lunch.`, { method: 'POST' });
    const expired = await askedIn({ deadlineMs: 1 });
    await expired.wait(never());
    const urls = {
      waiting: waiting.callbackUrl,
      preselected: `${waiting.callbackUrl}?action=reject`,
      approved: approved.callbackUrl,
      expired: expired.callbackUrl,
      unknown: `${waiting.callbackUrl}x`,
    };
    for (const [state, url] of Object.entries(urls)) {
      // axe itself is a script.
      const page = await pageFor({ javaScriptEnabled: true });
      const refused: string[] = [];
      page.on('console', message => refused.push(message.text()));
      await page.goto(url);
      await page
        .locator('details')
        .evaluateAll(all => {
          for (const each of all) each.setAttribute('open', '');
        })
        .catch(() => {});
      await expectGood(page, state);
      expect(refused.filter(text => !text.includes('status of 4'))).toEqual([]);
    }
  }, 120_000);

  test('is answered with the keyboard alone, and says so', async () => {
    const open = await askedIn();
    const page = await pageFor({ viewport: sizes.desktop });
    await page.goto(open.callbackUrl);
    const focused = async (): Promise<string> =>
      page.evaluate('document.activeElement.textContent + document.activeElement.id');
    for (let presses = 0; (await focused()) !== 'message'; presses += 1) {
      expect(presses).toBeLessThan(12);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.type('Ship it, "<b>now</b>"');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Approve');
    await page.keyboard.press('Enter');
    await page.getByRole('status').waitFor();
    expect(await page.getByRole('status').textContent()).toMatch(
      /Approved. Thank you.*on the approval page.*“Ship it, "<b>now<\/b>"”/s,
    );
    await picture(page, 'recorded-desktop-light');
    expect(await open.wait(never())).toMatchObject({
      action: 'approve',
      message: 'Ship it, "<b>now</b>"',
      by: 'on the approval page',
    });
  }, 60_000);

  test('of a link that suggests one answer can give the other', async () => {
    const open = await askedIn();
    const page = await pageFor({ viewport: sizes.phone });
    await page.goto(`${open.callbackUrl}?action=approve`);
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByText('Rejected. Thank you').waitFor();
    expect(await open.wait(never())).toMatchObject({ action: 'reject' });
  }, 60_000);

  test('that someone else was faster on says so', async () => {
    const open = await askedIn();
    const page = await pageFor({ viewport: sizes.desktop });
    await page.goto(open.callbackUrl);
    await fetch(`${open.callbackUrl}?action=reject`, { method: 'POST' });
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Your answer came too late').waitFor();
    await picture(page, 'too-late-desktop-light');
  }, 60_000);

  test('cannot be used by a page from elsewhere, framed or posted to', async () => {
    const open = await askedIn();
    const evil = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<iframe src="${open.callbackUrl}"></iframe><form method="post" action="${open.callbackUrl}"><button name="action" value="approve">Win</button></form>
        <script>fetch(${JSON.stringify(open.callbackUrl)}, { method: 'POST', mode: 'no-cors', body: 'action=approve', headers: { 'content-type': 'application/x-www-form-urlencoded' } }).catch(() => {}).finally(() => { document.title = 'tried'; })</script>`);
    });
    await new Promise<void>(resolve => evil.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      evil.close();
      evil.closeAllConnections();
    });
    const page = await pageFor({ viewport: sizes.desktop, javaScriptEnabled: true });
    await page.goto(`http://localhost:${(evil.address() as AddressInfo).port}/`);
    await page.waitForFunction("document.title === 'tried'");
    expect(await page.frames()[1]!.locator('button').count()).toBe(0);
    await page.getByRole('button', { name: 'Win' }).click();
    await page.getByText('The request comes from another web page').waitFor();
    await page.goto(open.callbackUrl);
    await page.getByRole('button', { name: 'Approve' }).waitFor();
  }, 60_000);
});
