import { expect, test } from 'vitest';
import { bundleForTests, eventually } from './project.ts';

const bundled = await bundleForTests();

const worker = { 'script.yaml': 'repeat: true\nturns: [{ text: at work }]\n' };

/** Its judge says done from the third question on. */
const judged = (more = ''): Record<string, string> => ({
  ...worker,
  'pipelines/polish.yaml': `
stages:
  - name: polish
    prompt: polish the thing
    termination:
      type: judgment
      consensus: 1
      max: 6
      judge: 'command:cat > ~/question; echo x >> ~/asked; ${more} n=$(wc -l < ~/asked); if [ $n -ge 3 ]; then o=true; else o=false; fi; printf "{\\"ok\\": %s, \\"reason\\": \\"question %s\\"}" $o $n'
`,
  'hookloop.yaml': `hooks:
  iteration.completed:
    - { type: shell, await: true, command: 'echo "$ITERATION $LAST_DECISION" >> ~/votes' }
`,
});

test('a judge ends a stage in place of the agent', () => {
  const project = bundled.project(judged());
  const ran = project.session(['polish']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.lines('~/votes')).toEqual(['1 continue', '2 continue', '3 stop']);
  const question = project.read('~/question');
  expect(question).toContain('Is the work of this stage done');
  expect(question).toContain('polish the thing');
  expect(question).toContain('at work');
  expect(question).toContain('/iterations/003/output.md');
  expect(ran.stderr).toContain('the judge of stage polish says done: question 3');
  expect(ran.stderr).toMatch(/iteration completed in .*, the judge says done/);
  expect(ran.stderr).toMatch(/polish +completed .* the judge said done/);
  for (const command of ['show', 'log']) {
    const told = project.run([command, 's']).stdout;
    expect(told).toContain(command === 'show' ? 'the judge said done' : 'the judge says done');
    expect(told).not.toMatch(/the agent (wants|agreed)/);
  }
  expect(ran.stderr).not.toMatch(/the agent (wants|agreed)/);
});

test('a stop of the agent does not count where there is a judge, its error does', () => {
  const project = bundled.project({
    ...judged(),
    'script.yaml':
      'turns: [{ text: a, status: { decision: stop } }, { text: b, status: { decision: error, reason: broke } }]\n',
  });
  const ran = project.session(['polish']);
  expect(ran.exit).toBe(1);
  expect(ran.stderr).toContain('broke');
  expect(project.lines('~/votes')).toEqual(['1 continue']);
  expect(project.lines('~/asked')).toHaveLength(1);
});

test('a judge without an answer ends no stage', () => {
  const files = judged();
  const project = bundled.project({
    ...files,
    'pipelines/polish.yaml': files['pipelines/polish.yaml']!.replace(/judge: .*/, "judge: 'command:echo yes'").replace(
      'max: 6',
      'max: 2',
    ),
  });
  const ran = project.session(['polish']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.lines('~/votes')).toEqual(['1 continue', '2 continue']);
  expect(ran.stderr).toContain('gave no answer, so the stage continues');
});

test('what a judge has answered is not asked again after a crash', async () => {
  const project = bundled.project({
    ...judged(),
    'hookloop.yaml': `hooks:
  iteration.completed:
    - { type: shell, await: true, command: 'echo "$ITERATION $LAST_DECISION" >> ~/votes; while [ ! -e ~/go ]; do sleep 0.02; done' }
`,
  });
  const started = project.start(['run', 'polish', '--agent', 'scripted:script.yaml', '--session', 's']);
  await eventually(() => project.lines('~/votes').length === 1);
  started.process.kill('SIGKILL');
  await started.ended;
  project.write('~/go', '');
  const resumed = project.run(['resume', 's']);
  expect([resumed.stderr, resumed.exit]).toEqual([resumed.stderr, 0]);
  expect(project.lines('~/asked')).toHaveLength(3);
  expect(project.lines('~/votes')).toEqual(['1 continue', '1 continue', '2 continue', '3 stop']);
});
