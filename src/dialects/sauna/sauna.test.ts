import { describe, expect, test } from 'vitest';
import { somewhere, testDialect } from '../../../test/contracts/dialect.ts';
import type { HookDefinition } from '../../model/index.ts';
import { sauna } from '../index.ts';

testDialect(sauna, new URL('./fixtures/', import.meta.url));

describe('sauna', () => {
  const gate = gateOf('["npm test -- --run"]');

  test('runs the command exactly as written, placeholders and all', () => {
    expect(gateOf('["echo {{task_id}} ${X} {file}"]').action).toMatchObject({
      run: { via: 'sh', script: 'echo {{task_id}} ${X} {file}' },
    });
  });

  test('tells the builder which command failed, its exit code and all it printed', () => {
    const { verdict, feedback } = sauna.interpret(
      { kind: 'exited', exitCode: 3, stdout: '1 failed\n', stderr: 'boom\n' },
      gate,
      { name: 'task.completing' },
    );
    expect(verdict).toEqual({ kind: 'failed', reason: 'npm test -- --run: exit code 3' });
    expect(feedback).toBe('Hook failed: npm test -- --run\n\nexit code 3\n\nstdout:\n1 failed\n\nstderr:\nboom');
  });

  test('says nothing to the builder when a gate passes', () => {
    expect(
      sauna.interpret({ kind: 'exited', exitCode: 0, stdout: 'ok', stderr: '' }, gate, { name: 'task.completing' }),
    ).toEqual({ verdict: { kind: 'passed' } });
  });

  test.each(['', ' \n\t', '[]', '{"hooks": []}'])('takes %j for no gates', text => {
    expect(normalise(text)).toEqual({ hooks: [], problems: [] });
  });
});

function gateOf(text: string): HookDefinition {
  return normalise(text).hooks[0]!;
}

function normalise(text: string) {
  const location = sauna.locations[0]!;
  return sauna.normalise(
    [{ kind: 'text', location, path: '/p/.sauna/hooks.json', file: '.sauna/hooks.json', text }],
    somewhere,
  );
}
