import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../test/program.ts';
import { eventNames } from '../model/index.ts';
import { waysOf } from './events.ts';

test('an event fires in run if, and only if, the code of sessions names it', () => {
  const parts = ['loop', 'people', 'session/control', 'agents', 'app'].map(part => join(root, 'src', part));
  const files = parts.flatMap(part =>
    readdirSync(part, { recursive: true, encoding: 'utf8' })
      .filter(
        name =>
          name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.includes('fixtures') && name !== 'events.ts',
      )
      .map(name => readFileSync(join(part, name), 'utf8')),
  );
  const named = eventNames.filter(event => files.some(text => text.includes(`'${event}'`)));
  expect(eventNames.filter(event => waysOf(event).includes('run'))).toEqual(named);
});
