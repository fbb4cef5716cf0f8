import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../test/program.ts';
import { lifeEventNames } from '../hosts/in-session.ts';
import { type AgentName, hosts } from '../hosts/index.ts';
import { type EventName, eventNames } from '../model/index.ts';
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
  const isNamed = (event: EventName): boolean => files.some(text => text.includes(`'${event}'`));
  const plugged = new Set<EventName>(lifeEventNames);
  const named = eventNames.filter(event => plugged.has(event) || isNamed(event));
  expect(eventNames.filter(event => waysOf(event).includes('run'))).toEqual(named);
});

test('docs/agents.md says which agents tell a session of what befalls them', () => {
  const page = readFileSync(join(root, 'docs/agents.md'), 'utf8');
  const rows = page.split('\n').flatMap(line => {
    const [, event = '', ...cells] = line.split('|').map(cell => cell.trim());
    return lifeEventNames.some(name => event === `\`${name}\``) ? [[event, ...cells.slice(0, 3)]] : [];
  });
  const cell = (agent: AgentName, event: EventName): string => {
    const native = Object.values(hosts[agent].events).find(({ fires }) => fires.includes(event));
    if (native === undefined) return event === 'permission.denied' ? 'the loop' : '';
    return event.endsWith('ing') && native.blocks ? 'its hooks, blocks' : 'its hooks';
  };
  expect(rows).toEqual(
    lifeEventNames.map(event => [
      `\`${event}\``,
      ...(['claude', 'codex', 'qwen'] as const).map(agent => cell(agent, event)),
    ]),
  );
});
