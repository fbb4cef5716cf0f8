import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Answer, Host, Payload, Reply } from '../../src/hosts/host.ts';
import { readEvents } from '../../src/hosts/native-events.ts';
import type { HostSettings } from '../../src/hosts/settings.ts';
import { type Decision, eventNames, isPending, proceed } from '../../src/model/index.ts';
import { isOwnCommand } from '../../src/model/own-entry.ts';

interface HostSuite {
  host: Host;
  settings: HostSettings;
  fixtures: URL;
  /** What the agent must be told where others want to hear nothing, and why. */
  speaks?: string;
  /** Seconds or milliseconds in an entry's timeout; absent where entries have none. */
  timeout?: { key: string; perSecond: number };
}

/**
 * What every host promises. Fixtures: one folder per case with `payloads.jsonl` (`event` and `payload`, as an agent
 * sent it) and `expected.json`: the events of each payload, and the answers to each native event.
 * UPDATE_FIXTURES=1 writes the expectations, which are then read and committed.
 */
export function testHost({ host, settings, fixtures, speaks, timeout }: HostSuite): void {
  const folder = fileURLToPath(fixtures);
  const natives = Object.entries(host.events);

  describe(`host ${host.name}`, () => {
    test.each(readdirSync(folder).sort())('reads and answers fixture %s as expected', name => {
      const actual = JSON.parse(JSON.stringify(runCase(host, join(folder, name, 'payloads.jsonl'))));
      const expectation = join(folder, name, 'expected.json');
      if (process.env['UPDATE_FIXTURES']) writeFileSync(expectation, `${JSON.stringify(actual, null, 2)}\n`);
      expect(actual).toEqual(JSON.parse(readFileSync(expectation, 'utf8')));
    });

    test('fires only events that exist, and refusable ones where it blocks before something happens', () => {
      for (const [native, { fires }] of natives) {
        expect(fires.length, native).toBeGreaterThan(0);
        for (const name of fires) expect(eventNames).toContain(name);
      }
    });

    test('is silent where nothing is to be said', () => {
      for (const native of [...Object.keys(host.events), 'SomethingNew']) {
        const answer = host.answer(native, { decision: proceed, feedback: '' });
        expect(answer.exitCode, native).toBe(0);
        if (speaks === undefined) expect(answer, native).toEqual({ stdout: '', stderr: '', exitCode: 0 });
        else {
          expect(JSON.parse(answer.stdout), speaks).not.toMatchObject({ permission: 'deny' });
          expect(answer.stderr).toBe('');
        }
      }
    });

    test('writes one line of JSON or nothing', () => {
      for (const [native] of natives)
        for (const reply of Object.values(replies)) {
          const { stdout } = host.answer(native, reply);
          expect(stdout === '' || /^\{.*\}\n$/.test(stdout), `${native}: ${stdout}`).toBe(true);
          if (stdout !== '') JSON.parse(stdout);
        }
    });

    test('says allow to nothing but the generic gate that needs a word', () => {
      for (const [native] of natives)
        for (const reply of Object.values(replies)) {
          const { stdout } = host.answer(native, reply);
          if (speaks === undefined) expect(stdout, native).not.toMatch(/allow|approve/);
        }
    });

    test('carries the reason of a refusal wherever the agent acts on one, even where there is none', () => {
      for (const [native, { blocks }] of natives) {
        if (!blocks) continue;
        expect(said(host.answer(native, replies.block)), native).toContain('because of X');
        const silent = host.answer(native, { decision: { kind: 'block', reason: ' ', by: 'hook-7' }, feedback: '' });
        expect(said(silent), native).toContain('hook-7');
        expect(silent).not.toEqual(host.answer(native, { decision: proceed, feedback: '' }));
      }
    });

    test('blocks by exit code 0 and JSON, or by exit code 2 with a text on stderr', () => {
      for (const [native] of natives)
        for (const reply of Object.values(replies)) {
          const { exitCode, stdout, stderr } = host.answer(native, reply);
          if (exitCode === 0) continue;
          expect({ exitCode, stdout }, native).toEqual({ exitCode: 2, stdout: '' });
          expect(stderr.trim()).not.toBe('');
        }
    });

    test('hands feedback on exactly where its table says so', () => {
      for (const [native, { feedback }] of natives)
        expect(host.answer(native, replies.feedback).stdout.includes('a remark'), native).toBe(feedback);
    });

    test('never throws, whatever an agent sends, and names itself in every event', () => {
      fc.assert(
        fc.property(fc.constantFrom(...natives.map(([native]) => native)), anyPayload, (native, payload) => {
          const reading = readEvents(host, native, payload, now);
          if (reading.kind !== 'events') return;
          const { fires } = host.events[native]!;
          for (const event of reading.events) {
            expect(event.agent).toBe(host.name);
            expect(fires).toContain(event.name);
          }
        }),
        { numRuns: Number(process.env['FUZZ_RUNS'] ?? 300) },
      );
    });

    test('asks before a tool is called, and can refuse it', () => {
      const gates = natives.filter(([, { fires }]) => fires.includes('tool.calling'));
      expect(gates.map(([, { blocks, closed }]) => ({ blocks, closed }))).toEqual([{ blocks: true, closed: true }]);
      for (const [, { fires, closed }] of natives) if (closed) expect(fires.every(isPending)).toBe(true);
    });

    test('installs an entry for each event, marked and with its timeout in the unit of the agent', () => {
      const { holds } = settings;
      if (holds.kind === 'code') {
        for (const [native] of natives) expect(holds.text('hookloop')).toContain(`'${native}'`);
        return;
      }
      for (const [native, event] of natives) {
        const command = `hookloop hook ${host.name} ${native} # hookloop`;
        expect(isOwnCommand(command)).toBe(true);
        const text = JSON.stringify(holds.entry({ event, command }));
        expect(text).toContain(JSON.stringify(command));
        expect(text).toContain(`"${timeout!.key}":${(event.timeoutMs / 1000) * timeout!.perSecond}`);
      }
    });
  });
}

const refused = (kind: 'block' | 'abort' | 'revise'): Decision => ({ kind, reason: 'because of X', by: 'hook-1' });

const replies: Readonly<Record<'proceed' | 'feedback' | 'block' | 'ask' | 'revise' | 'abort', Reply>> = {
  proceed: { decision: proceed, feedback: '' },
  feedback: { decision: proceed, feedback: 'a remark' },
  block: { decision: refused('block'), feedback: '' },
  ask: { decision: { kind: 'block', reason: 'because of X', by: 'hook-1', ask: true }, feedback: '' },
  revise: { decision: refused('revise'), feedback: 'a remark' },
  abort: { decision: refused('abort'), feedback: '' },
};

const now = (): string => '2026-11-15T18:00:00.000Z';
const said = ({ stdout, stderr }: Answer): string => stdout + stderr;

function runCase(host: Host, file: string): object {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const calls = lines.map(line => JSON.parse(line) as { event: string; payload: Payload });
  const known = [...new Set(calls.map(({ event }) => event))].filter(event => Object.hasOwn(host.events, event));
  return {
    readings: calls.map(({ event, payload }) => ({
      event,
      ...(Object.hasOwn(host.events, event) ? readEvents(host, event, payload, now) : { kind: 'unknown' }),
    })),
    answers: Object.fromEntries(
      known.map(event => [
        event,
        Object.fromEntries(Object.entries(replies).map(([kind, reply]) => [kind, host.answer(event, reply)])),
      ]),
    ),
  };
}

const keys = [
  ...['hook_event_name', 'session_id', 'conversation_id', 'sessionId', 'sessionID', 'cwd', 'directory', 'timestamp'],
  ...['tool_name', 'toolName', 'tool', 'tool_input', 'toolArgs', 'args', 'tool_response', 'tool_output', 'toolResult'],
  ...['error', 'prompt', 'prompt_response', 'status', 'workspace_roots', 'file_path', 'notification_type', 'details'],
  ...['todo_id', 'phase', '__proto__', 'output'],
];

const anyPayload: fc.Arbitrary<Payload> = fc.dictionary(
  fc.constantFrom(...keys),
  fc.oneof(
    fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>,
    fc.constantFrom<unknown>(
      'Write',
      'apply_patch',
      'Bash',
      'MCP:x',
      'ToolPermission',
      '*** Begin Patch\n*** Add File: ',
      1e300,
    ),
    fc.record({
      file_path: fc.string(),
      edits: fc.array(fc.jsonValue() as fc.Arbitrary<unknown>),
      command: fc.string(),
    }),
  ),
);
