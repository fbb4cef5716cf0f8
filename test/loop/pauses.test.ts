import { describe, expect, test } from 'vitest';
import { bundleForTests, eventually, noticesOf, type Project } from './project.ts';

const bundled = await bundleForTests();

const hooks = `
hooks:
  session.paused: [{ type: shell, await: true, command: 'echo "paused $KIND of $AGENT" >> ~/effects' }]
  session.resumed: [{ type: shell, await: true, command: 'echo resumed >> ~/effects' }]
  iteration.starting: [{ type: shell, await: true, command: 'echo starting >> ~/effects' }]
  iteration.failed: [{ type: shell, await: true, command: 'echo failed >> ~/effects' }]
`;

/** Limited in the first turn, after some work; told of that, the agent works. A process that is new begins anew. */
const limitedOnce = (limit: string): string => `
turns:
  - when: was cut off
    text: worked
  - when: work
    tools: [{ name: Bash, input: { command: 'echo begun >> ~/effects' } }]
    limit: { ${limit} }
`;

const promptsOf = (project: Project): string[] =>
  project.journal('s').flatMap(entry => (entry.kind === 'agent.prompt' ? [entry.text] : []));

const eventsOf = (project: Project): string[] =>
  project.journal('s').flatMap(entry => (entry.kind === 'event' ? [entry.event.name] : []));

const pausesOf = (project: Project): string[] =>
  eventsOf(project).filter(name => /session\.(paused|resumed)/.test(name));

/** Its hook has ended, and a crash does not start it again. */
const hasHeard = (project: Project): boolean =>
  project.journal('s').some(entry => entry.kind === 'hook.finished' && entry.event === 'session.paused');

const isPaused = (project: Project): boolean => {
  try {
    return project.journal('s').some(entry => entry.kind === 'pause.started');
  } catch {
    return false;
  }
};

const args = ['run', '--agent', 'scripted:script.yaml', '--session', 's', '--prompt', 'work', '--quiet'];

test('a limited turn pauses the session, and the same prompt goes out again in the same conversation', () => {
  const project = bundled.project({
    'hookloop.yaml': hooks,
    'script.yaml': `
turns:
  - limit: { kind: usage, retry_after: 0.3, reason: You have hit your limit }
  - text: worked
`,
  });
  const ran = project.session(['--prompt', 'work', '--json']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  const notices = noticesOf(ran);
  const paused = notices.filter(({ type }) => type === 'session.paused');
  expect(paused).toMatchObject([{ kind: 'usage', reason: 'You have hit your limit', agent: 'scripted' }]);
  expect(Date.parse((paused[0] as { until: string }).until)).toBeGreaterThan(Date.parse(paused[0]!.at));
  expect(notices.filter(({ type }) => type === 'session.resumed')).toMatchObject([{ duration: expect.any(Number) }]);
  expect(project.lines('~/effects')).toEqual(['starting', 'paused usage of scripted', 'resumed']);
  const [first, ...others] = promptsOf(project);
  expect(others).toEqual([first]);
  const conversations = project.journal('s').filter(entry => 'key' in entry && entry.key === 's0/i1/conversation');
  expect(conversations).toHaveLength(1);
  const summary = notices.find(notice => notice.type === 'session.summary');
  expect(summary).toMatchObject({ stages: [{ iterations: 1, failedIterations: 0 }] });
  expect((summary as { time: { pausedMs: number } }).time.pausedMs).toBeGreaterThanOrEqual(100);
  const shown = project.run(['show', 's']).stdout;
  expect(shown).toMatch(/paused for \d/);
  expect(shown).toContain('paused until');
  expect(project.run(['log', 's']).stdout).toContain('usage limit of scripted: You have hit your limit');
});

test('an agent that had begun to work is told that it was cut off', () => {
  const project = bundled.project({
    'hookloop.yaml': hooks,
    'script.yaml': limitedOnce('kind: rate, retry_after: 0.1'),
  });
  const ran = project.session(['--prompt', 'work']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(promptsOf(project)[1]).toMatch(/^The session was cut off .*\n\nwork$/);
  expect(ran.stderr).toMatch(/paused until \d\d:\d\d:\d\d \(in 1 s\): rate limit of scripted: rate limit reached/);
  expect(ran.stderr).toContain('session goes on after a pause of');
});

test('an agent that says no time, or one that has passed, is asked again after about 5 seconds', () => {
  const project = bundled.project({
    'script.yaml': `
turns:
  - limit: { kind: overload, until: '2020-01-01T00:00:00Z' }
  - text: worked
`,
  });
  const started = Date.now();
  const ran = project.session(['--prompt', 'work', '--json']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  const { at, until } = noticesOf(ran).find(({ type }) => type === 'session.paused') as never as Record<string, string>;
  const planned = Date.parse(until!) - Date.parse(at!);
  expect([planned > 3000, planned <= 6250]).toEqual([true, true]);
  expect(Date.now() - started).toBeGreaterThan(3700);
});

describe('--max-wait', () => {
  test('a pause that would be longer fails the session at once, which can be resumed', () => {
    const project = bundled.project({
      'hookloop.yaml': hooks,
      'script.yaml': `
turns:
  - limit: { kind: usage, retry_after: 7200, reason: resets later }
`,
    });
    const ran = project.session(['--prompt', 'work', '--max-wait', '1h']);
    expect(ran.exit).toBe(1);
    expect(ran.stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /scripted is limited until (\d{4}-\d\d-\d\d )?\d\d:\d\d \(usage: resets later\), and no pause may be longer than 1 h 00 min \(--max-wait\)/,
    );
    expect(project.lines('~/effects')).toEqual(['starting']);
    // It is still limited.
    const again = project.run(['resume', 's']);
    expect([again.exit, again.stderr.includes('is limited until')]).toEqual([1, true]);
    expect(pausesOf(project)).toEqual([]);
  });

  test('a session that failed for it goes on where hookloop.yaml allows more by then, and repeats nothing', () => {
    const project = bundled.project({
      'hookloop.yaml': `${hooks}max_wait: 0\n`,
      'script.yaml': limitedOnce('kind: usage, retry_after: 3'),
    });
    expect(project.session(['--prompt', 'work']).exit).toBe(1);
    project.write('hookloop.yaml', hooks);
    const resumed = project.run(['resume', 's', '--accept-changes']);
    expect([resumed.stderr, resumed.exit]).toEqual([resumed.stderr, 0]);
    // On a slow machine its limit is over by now.
    const isPause = (line: string): boolean => /^(paused|resumed)/.test(line);
    expect(project.lines('~/effects').filter(line => !isPause(line))).toEqual(['starting', 'begun']);
    expect(promptsOf(project)[1]).toContain('The session was cut off');
  });

  test('resume takes it as well, and it stays from then on', () => {
    const project = bundled.project({ 'script.yaml': 'turns: [{ limit: { kind: usage, retry_after: 7200 } }]\n' });
    expect(project.session(['--prompt', 'work', '--max-wait', '1h']).exit).toBe(1);
    expect(project.run(['resume', 's', '--max-wait', 'soon']).exit).toBe(64);
    for (const options of [['--max-wait', '90m'], []]) {
      const again = project.run(['resume', 's', ...options]);
      expect([again.exit, again.stderr.replaceAll(/\s+/g, ' ')]).toEqual([
        1,
        expect.stringContaining('no pause may be longer than 1 h 30 min'),
      ]);
    }
  });

  test('hookloop.yaml says it where the command line does not, and pauses without a turn in between count as one', () => {
    const project = bundled.project({
      'hookloop.yaml': 'max_wait: 1s\n',
      'script.yaml': `
repeat: true
turns:
  - limit: { kind: rate, retry_after: 0.2 }
`,
    });
    const ran = project.session(['--prompt', 'work']);
    expect(ran.exit).toBe(1);
    expect(ran.stderr.replaceAll(/\s+/g, ' ')).toContain('after 0.2 s of pauses scripted is limited until');
    expect(pausesOf(project)).toEqual(['session.paused', 'session.resumed']);
  });

  test.each([
    ['soon', 'write a time such as 90s, 30m, 6h or 1d'],
    ['-5m', 'write a time such as 90s, 30m, 6h or 1d'],
    ['5 h', 'write a time such as 90s, 30m, 6h or 1d'],
    ['', 'write a time such as 90s, 30m, 6h or 1d'],
    ['1e9', 'write a time such as 90s, 30m, 6h or 1d'],
    ['3w', 'write a time such as 90s, 30m, 6h or 1d'],
    ['999999999999999999999999d', 'at most 30d'],
    ['31d', 'at most 30d'],
  ])('%j is refused', (written, said) => {
    const ran = bundled.project({}).session(['--prompt', 'x', `--max-wait=${written}`]);
    expect([ran.exit, ran.stderr]).toEqual([64, expect.stringContaining(`--max-wait ${written}: ${said}`)]);
  });
});

describe('a pause that is cut short', () => {
  test.each(['SIGINT', 'SIGKILL'] as const)(
    'by %s is kept: resumed before its end it waits the rest of it',
    async signal => {
      const project = bundled.project({
        'hookloop.yaml': hooks,
        'script.yaml': limitedOnce('kind: usage, retry_after: 4'),
      });
      const started = project.start(args);
      await eventually(() => isPaused(project) && hasHeard(project));
      started.process.kill(signal);
      const end = await started.ended;
      expect(signal === 'SIGINT' ? end.code : end.signal).toBe(signal === 'SIGINT' ? 130 : 'SIGKILL');
      const { until } = project.journal('s').find(entry => entry.kind === 'pause.started') as { until: string };
      expect(project.run(['show', 's']).stdout).toMatch(
        /paused until \d\d:\d\d:\d\d \(in \d s\): usage limit of scripted/,
      );
      const resumed = project.run(['resume', 's']);
      expect([resumed.stderr, resumed.exit]).toEqual([resumed.stderr, 0]);
      expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(until));
      expect(resumed.stderr).toContain('paused until');
      expect(pausesOf(project)).toEqual(['session.paused', 'session.resumed']);
      expect(project.lines('~/effects')).toEqual(['starting', 'begun', 'paused usage of scripted', 'resumed']);
    },
    30_000,
  );

  test('and resumed after its end goes on at once', async () => {
    const project = bundled.project({
      'hookloop.yaml': hooks,
      'script.yaml': limitedOnce('kind: usage, retry_after: 1.5'),
    });
    const started = project.start(args);
    await eventually(() => project.lines('~/effects').includes('paused usage of scripted'));
    started.process.kill('SIGKILL');
    await started.ended;
    const { until } = project.journal('s').find(entry => entry.kind === 'pause.started') as { until: string };
    await eventually(() => Date.now() > Date.parse(until));
    const resumed = project.run(['resume', 's', '--quiet']);
    expect([resumed.stderr, resumed.exit]).toEqual([resumed.stderr, 0]);
    expect(pausesOf(project)).toEqual(['session.paused', 'session.resumed']);
  });

  test.each([
    ['now', []],
    ['turn', ['--after', 'turn']],
  ])('by stop (%s) ends the session within seconds', async (_, after) => {
    const project = bundled.project({ 'script.yaml': limitedOnce('kind: usage, retry_after: 3600') });
    const started = project.start(args);
    await eventually(() => isPaused(project));
    const stopped = project.run(['stop', 's', ...after]);
    expect([stopped.stderr, stopped.exit]).toEqual([stopped.stderr, 0]);
    expect((await started.ended).code).toBe(1);
    expect(project.journal('s').at(-1)).toMatchObject({ kind: 'session.closed', status: 'stopped' });
  });
});

test.each([
  ['nothing', ''],
  ['no JSON', 'try later'],
  ['the time as a text', '{ "retry_after": "0.1" }'],
])('what a limited command leaves in status.json decides nothing: %s', (_, status) => {
  const project = bundled.project({
    'agent.sh': `cat > /dev/null
[ -e ~/again ] && echo worked && exit
touch ~/again
printf '%s' '${status}' > "$STATUS"
exit 75
`,
  });
  const ran = project.run(['run', '--agent', 'command:sh agent.sh', '--prompt', 'work', '--session', 's', '--quiet']);
  expect([ran.stderr, ran.exit]).toEqual(['', 0]);
});

test('runs tells of a session that is paused', async () => {
  const project = bundled.project({
    'script.yaml': limitedOnce('kind: usage, retry_after: 3600, reason: resets at 3'),
  });
  const started = project.start(args);
  await eventually(() => isPaused(project));
  expect(project.run(['runs']).stdout).toMatch(
    /paused until \d\d:\d\d \(in (59 min \d\d s|1 h 00 min)\): usage limit of/,
  );
  const [brief] = JSON.parse(project.run(['runs', '--json']).stdout);
  expect(brief).toMatchObject({ status: 'running', paused: { kind: 'usage', reason: 'resets at 3' } });
  started.process.kill('SIGINT');
  await started.ended;
  expect(project.run(['show', 's']).stdout).toMatch(/interrupted\n.*while it was paused\npaused until/s);
});

test('a child pipeline that is limited pauses, and its parent waits for it', () => {
  const project = bundled.project({
    'hookloop.yaml': `
hooks:
  session.paused: [{ type: shell, await: true, command: 'echo "$HOOKLOOP_SESSION" >> ~/paused' }]
  session.completed: [{ type: spawn, pipeline: child, await: true, on_failure: abort }]
`,
    'pipelines/child.yaml':
      'name: child\nstages: [{ name: c, prompt: work as a child, agent: "scripted:child.yaml", runs: 1 }]\n',
    'script.yaml': 'turns: [{ text: done }]\n',
    'child.yaml': 'turns:\n  - limit: { kind: overload, retry_after: 0.2 }\n  - text: worked\n',
  });
  const ran = project.session(['--prompt', 'work']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(ran.stderr).toMatch(/s\/session\.completed-\d: paused until .*scripted is overloaded/);
  expect(ran.stderr).toContain('goes on after the pause');
});

test('what hooks have left for the agent at the end does not keep the session from ending', () => {
  const project = bundled.project({
    'hookloop.yaml': `
hooks:
  iteration.completed: [{ type: shell, await: true, command: echo last words, feedback: always }]
`,
    'script.yaml': `
turns:
  - when: last words
    limit: { kind: usage, retry_after: 3600 }
  - text: worked
`,
  });
  const ran = project.session(['--prompt', 'work']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(ran.stderr).toContain('the last hook output did not reach the agent: scripted is limited until');
});
