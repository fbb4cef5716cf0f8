import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { claudesOwnEvents } from '../src/dialects/claude/claudes-own.ts';
import { events as claudeEvents } from '../src/dialects/claude/wire.ts';
import { differences } from './agents/claude-hooks/differences.ts';
import type { Observed, Recorded } from './agents/claude-hooks/observed.ts';
import { packs } from './agents/claude-hooks/packs.ts';
import { replay } from './agents/claude-hooks/replay.ts';

const recordedOf = (name: string): Recorded =>
  JSON.parse(readFileSync(new URL(`./agents/claude-hooks/recorded/${name}.json`, import.meta.url), 'utf8'));

/** What Claude Code itself did with each hook file is recorded: `npm run test:agents claude.corpus` sees whether it still does. */
describe('the hook files of the corpus', () => {
  test.each(packs.map(pack => [pack.name, pack] as const))(
    'of %s get the decisions and texts that Claude Code gives them, but for what is listed',
    async (name, pack) => {
      const recorded = recordedOf(name);
      const listed = differences[name] ?? [];
      expect(differing(recorded.observed, await replay(pack, recorded))).toEqual(
        listed.flatMap(({ lines }) => lines).sort(),
      );
    },
  );
});

/** What may stand in a hook file, as the documentation of Claude Code has it, and what has to be seen of it. */
describe('the corpus', () => {
  const files = [...new Set(packs.flatMap(pack => pack.files))];
  const events = new Set(files.flatMap(({ hooks }) => Object.keys(hooks)));
  const handlers = files.flatMap(({ hooks }) =>
    Object.values(hooks).flatMap(groups => groups.flatMap(one => one.hooks)),
  );
  const all = JSON.stringify([files, handlers.map(({ command }) => command)]);

  test('has every event, handler, field of an entry and field of an answer at least once', () => {
    expect(files.length).toBeGreaterThanOrEqual(60);
    expect([...Object.keys(claudeEvents), ...claudesOwnEvents].filter(event => !events.has(event))).toEqual([]);
    const kinds = ['command', 'http', 'mcp_tool', 'prompt', 'agent'];
    expect(kinds.filter(kind => !handlers.some(({ type }) => type === kind))).toEqual([]);
    const ofEntries = [
      ...['command', 'args', 'shell', 'async', 'asyncRewake', 'statusMessage', 'timeout', 'onFailure', 'if', 'once'],
      ...['url', 'headers', 'allowedEnvVars', 'server', 'tool', 'input', 'prompt', 'model', 'continueOnBlock'],
    ];
    expect(ofEntries.filter(field => !handlers.some(hook => field in hook))).toEqual([]);
    const ofAnswers = [
      ...['continue', 'stopReason', 'systemMessage', 'suppressOutput', 'terminalSequence', 'decision', 'reason'],
      ...['permissionDecision', 'permissionDecisionReason', 'updatedInput', 'additionalContext', 'updatedToolOutput'],
      ...['updatedMCPToolOutput', 'behavior', 'message', 'interrupt', 'updatedPermissions', 'retry', 'sessionTitle'],
      ...['watchPaths', 'reloadSkills', 'suppressOriginalPrompt', 'initialUserMessage'],
    ];
    expect(ofAnswers.filter(field => !all.includes(`\\"${field}\\":`))).toEqual([]);
    const decisions = ['allow', 'deny', 'ask', 'defer'];
    expect(decisions.filter(word => !all.includes(`\\"permissionDecision\\":\\"${word}\\"`))).toEqual([]);
  });

  test('has each gate let through, refused, too late, crashed and cut off', () => {
    const gates = ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PostToolBatch'];
    const late = ['Stop', 'SubagentStop', 'TaskCompleted', 'PermissionRequest', 'PreCompact'];
    for (const gate of [...gates, ...late])
      expect(
        files.filter(({ name }) => name === `${gate}: a crash, a timeout and JSON that is cut off decide nothing`),
        gate,
      ).toHaveLength(1);
    const outcomes = packs.flatMap(({ name }) => recordedOf(name).observed.outcomes);
    for (const gate of ['UserPromptSubmit', 'PreToolUse', ...late])
      for (const outcome of ['goes on', 'refused'])
        expect(
          outcomes.some(line => line.startsWith(gate) && line.endsWith(`: ${outcome}`)),
          `${gate}: ${outcome}`,
        ).toBe(true);
  });

  test('has fired every event that a session by itself comes to', () => {
    const fired = new Set(packs.flatMap(({ name }) => recordedOf(name).firings.map(({ event }) => event)));
    const unheardOf = ['Notification', 'PermissionDenied', 'TeammateIdle'];
    expect(
      Object.keys(claudeEvents)
        .filter(event => !fired.has(event))
        .sort(),
    ).toEqual(unheardOf);
  });
});

/** `-` stands before what Claude Code does, `+` before what we do. */
function differing(claude: Observed, ours: Observed): string[] {
  const parts = ['outcomes', 'heard', 'shown'] as const;
  return parts
    .flatMap(part => {
      const [theirs, own] = [numbered(claude[part], part), numbered(ours[part], part)];
      return [
        ...theirs.filter(line => !own.includes(line)).map(line => `- ${line}`),
        ...own.filter(line => !theirs.includes(line)).map(line => `+ ${line}`),
      ];
    })
    .sort();
}

/** The outcome of each firing stands in its place; texts name their step themselves. */
const numbered = (lines: readonly string[], part: string): string[] =>
  lines.map((line, at) => (part === 'outcomes' ? `firing ${at}, ${line}` : `${part} ${line}`));
