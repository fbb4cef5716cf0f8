import { describe, expect, test } from 'vitest';
import { testDialect } from '../../../test/contracts/dialect.ts';
import { normaliseText } from '../../../test/contracts/found.ts';
import { type ActionOutcome, decide, type HookDefinition, type HookEvent } from '../../model/index.ts';
import { nyzhi } from '../index.ts';

testDialect(nyzhi, new URL('./fixtures/', import.meta.url));

const exited = (exitCode: number, stdout = '', stderr = ''): ActionOutcome => ({
  kind: 'exited',
  exitCode,
  stdout,
  stderr,
});
const failures: ActionOutcome[] = [
  exited(1),
  exited(2),
  { kind: 'killed', signal: 'SIGKILL', stdout: '', stderr: '' },
  { kind: 'timed-out', afterMs: 1000, stdout: '', stderr: '' },
  { kind: 'not-started', reason: 'not found' },
];

describe('block = true of nyzhi', () => {
  test.each(failures)('blocks what is about to happen when its hook ends as $kind', outcome => {
    const gate = hookOf('event = "pre_tool"\ncommand = "cargo test"\nblock = true');
    expect(decisionOf(outcome, gate)).toBe('block');
  });

  test.each(failures)('sends what has already happened back to the agent when its hook ends as $kind', outcome => {
    expect(decisionOf(outcome, hookOf('event = "after_edit"\ncommand = "make"\nblock = true'))).toBe('revise');
  });

  test.each(failures)('is needed: without it a hook that ends as $kind only reports', outcome => {
    expect(decisionOf(outcome, hookOf('event = "pre_tool"\ncommand = "make"'))).toBe('proceed');
    expect(decisionOf(outcome, hookOf('event = "pre_tool"\ncommand = "make"\nblock = false'))).toBe('proceed');
  });

  test('tells the agent the command, the exit code and what was printed', () => {
    const gate = hookOf('event = "pre_tool"\ncommand = "cargo test"\nblock = true');
    const read = nyzhi.interpret(exited(101, '1 failed\n', '\nerror: boom\n'), gate, {
      name: 'tool.calling',
      tool: 'Bash',
    });
    expect(read.verdict).toEqual({ kind: 'failed', reason: 'cargo test: exit code 101' });
    expect(read.refusal).toMatch(
      /^Hook "cargo test" refused this call of Bash: exit code 101\.\n\$ cargo test\n1 failed\nerror: boom\nDo not/,
    );
  });
});

describe.each(['teammate_idle', 'task_completed'])('the team event %s of nyzhi', event => {
  const hook = hookOf(`event = "${event}"\ncommand = "./check.sh"`);

  test('is rejected by exit code 2, with stdout as feedback', () => {
    expect(nyzhi.interpret(exited(2, 'write tests first\n', 'noise'), hook, eventOf(hook))).toEqual({
      verdict: { kind: 'rejected', reason: 'write tests first' },
      feedback: 'write tests first',
    });
    expect(decisionOf(exited(2, 'no'), hook)).toBe('block');
  });

  test('takes stderr as feedback where stdout is empty', () => {
    expect(nyzhi.interpret(exited(2, ' \n', 'no tests\n'), hook, eventOf(hook)).feedback).toBe('no tests');
  });

  test('says which command rejected it where nothing was printed', () => {
    expect(nyzhi.interpret(exited(2), hook, eventOf(hook)).verdict).toEqual({
      kind: 'rejected',
      reason: expect.stringMatching(/^Hook "\.\/check\.sh" refused .*: exit code 2\.\n\$ \.\/check\.sh\nFix this/),
    });
  });

  test('is not rejected by other exit codes, unless the hook blocks', () => {
    expect(decisionOf(exited(1), hook)).toBe('proceed');
    expect(decisionOf(exited(1), hookOf(`event = "${event}"\ncommand = "x"\nblock = true`))).toBe('block');
  });
});

describe('the result that nyzhi reports to the agent', () => {
  const hook = hookOf('event = "after_edit"\ncommand = "cargo fmt -- {file}"');

  test.each<[string, ActionOutcome, string | undefined]>([
    ['nothing for a hook that passes in silence', exited(0, '\n'), undefined],
    ['what a passing hook said', exited(0, ' done\n', 'warn\n'), '[hook] cargo fmt -- {file} (ok)\ndone\nwarn'],
    ['a silent failure', exited(1), '[hook] cargo fmt -- {file} (exit 1)'],
    ['exit code 2 of other events like any other', exited(2, 'x'), '[hook] cargo fmt -- {file} (exit 2)\nx'],
    [
      'a timeout with the partial output',
      { kind: 'timed-out', afterMs: 1000, stdout: 'half', stderr: '' },
      '[hook] cargo fmt -- {file} (timed out)\nhalf',
    ],
    [
      'a hook that was killed',
      { kind: 'killed', signal: 'SIGKILL', stdout: '', stderr: 'oom\n' },
      '[hook] cargo fmt -- {file} (killed)\noom',
    ],
    [
      'why a hook could not start',
      { kind: 'not-started', reason: 'no such folder' },
      '[hook] cargo fmt -- {file} (could not start: no such folder)',
    ],
    ['nothing for a hook that was cancelled', { kind: 'cancelled' }, undefined],
  ])('is %s', (_, outcome, expected) => {
    expect(nyzhi.interpret(outcome, hook, { name: 'file.edited' }).feedback).toBe(expected);
  });

  test('goes with the next prompt', () => expect(hook.feedback).toBe('next-prompt'));
});

describe('a judge of nyzhi', () => {
  const judge = hookOf('event = "pre_tool"\ntype = "prompt"\nprompt = "Is it safe?"');

  test('decides by its answer', () => {
    expect(decisionOf({ kind: 'judged', ok: true, reason: 'harmless' }, judge)).toBe('proceed');
    expect(nyzhi.interpret({ kind: 'judged', ok: false, reason: 'deletes files' }, judge, eventOf(judge))).toEqual({
      verdict: { kind: 'rejected', reason: 'deletes files' },
      refusal: expect.stringMatching(
        /^Hook "Is it safe\?" refused this call of a tool: the judge said no\.\ndeletes files\nDo not/,
      ),
      feedback: '[hook] Is it safe? (no)\ndeletes files',
    });
  });

  test('that cannot answer blocks only where block = true', () => {
    const outcome: ActionOutcome = { kind: 'not-started', reason: 'no agent' };
    expect(decisionOf(outcome, judge)).toBe('proceed');
    const gate = hookOf('event = "pre_tool"\ntype = "agent"\nprompt = "Is it safe?"\nblock = true');
    expect(decisionOf(outcome, gate)).toBe('block');
  });
});

describe('a bad entry of nyzhi', () => {
  test.each([
    ['a gate', 'event = "pre_tool"\ncommand = 7\nblock = true', true],
    ['what may be a gate', 'event = "pre_tool"\ncommand = "x"\nblock = "yes"', true],
    ['a gate on an unknown event', 'event = "pre_tols"\ncommand = "x"\nblock = true', true],
    ['no gate', 'event = "pre_tool"\ncommand = 7', false],
    ['surely no gate', 'event = "pre_tool"\ncommand = 7\nblock = false', false],
  ])('that is %s says whether the session may run', (_, entry, refuses) => {
    const { problems, hooks } = normalise(`[[agent.hooks]]\n${entry}\n`);
    expect(hooks).toEqual([]);
    expect(problems.map(problem => problem.refuses)).toEqual([refuses]);
  });
});

function decisionOf(outcome: ActionOutcome, hook: HookDefinition): string {
  return decide(nyzhi.interpret(outcome, hook, eventOf(hook)).verdict, outcome, hook).kind;
}

const eventOf = (hook: HookDefinition): HookEvent => ({ name: hook.event });

function hookOf(entry: string): HookDefinition {
  return normalise(`[[agent.hooks]]\n${entry}\n`).hooks[0]!;
}

function normalise(text: string) {
  return normaliseText(nyzhi, text);
}
