import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { claude } from './cases/index.ts';
import { createPlace, type Place } from './place.ts';
import { runProgram } from './run-program.ts';

const binFolder = inject('agentFolders')['claude'];

/** What befalls the agent itself: its own hooks tell the session, since no protocol does. */
describe.skipIf(binFolder === undefined)('claude', () => {
  let place: Place;
  beforeAll(async () => {
    place = await createPlace(claude, binFolder!);
  });
  afterAll(() => place.leave());

  const noted = (event: string): string => `printf '${event} ' >> ../told; cat >> ../told; echo >> ../told`;
  const told = (): { event: string; fields: Record<string, unknown> }[] =>
    (place.read('../told') ?? '')
      .split('\n')
      .filter(line => line !== '')
      .map(line => ({
        event: line.slice(0, line.indexOf(' ')),
        fields: JSON.parse(line.slice(line.indexOf(' '))) as Record<string, unknown>,
      }));

  test('in a loop: a subagent may not end without a summary, and batches of calls are told', async () => {
    const gate = `cat > ../ending; printf 'subagent.ending ' >> ../told; cat ../ending >> ../told; echo >> ../told; grep -q SUMMARY ../ending || { echo write a SUMMARY; exit 1; }`;
    place.write(
      'hookloop.yaml',
      JSON.stringify({
        version: 1,
        hooks: {
          'subagent.starting': [{ shell: noted('subagent.starting') }],
          'subagent.ending': [{ shell: gate, feedback: true }],
          'tools.called': [{ shell: noted('tools.called') }],
          'context.compacting': [{ shell: noted('context.compacting') }],
          'context.compacted': [{ shell: noted('context.compacted') }],
          'notification.sent': [{ shell: noted('notification.sent') }],
        },
      }),
    );
    const agent = { description: 'look', prompt: 'Look around.', subagent_type: 'general-purpose' };
    place.model.script([
      { text: 'One.', tools: [{ name: 'Agent', args: { ...agent, run_in_background: false } }] },
      { text: 'Found it.' },
      { text: 'SUMMARY: found it.' },
      { text: 'Done.' },
    ]);
    const args = ['run', '--prompt', 'Do the work.', '--agent', 'claude', '--max-iterations', '1'];
    const { exit, stderr } = await runProgram(inject('program'), args, place).ended;
    expect(exit, stderr).toBe(0);
    const [starting] = told();
    expect(starting!.fields).toMatchObject({ subagentType: 'general-purpose' });
    // Claude may have agents of its own beside, which end without a start.
    const { subagentId } = starting!.fields;
    const ours = told().filter(({ event, fields }) => event === 'tools.called' || fields['subagentId'] === subagentId);
    expect(ours.map(({ event }) => event)).toEqual([
      ...['subagent.starting', 'subagent.ending', 'subagent.ending', 'tools.called'],
    ]);
    expect(place.model.heard().some(conversation => conversation.includes('write a SUMMARY'))).toBe(true);
  });

  test('in a loop: a compaction is told, its beginning and its end once', async () => {
    // What a hook wants of the agent is its next prompt, in the same conversation.
    const wants = JSON.stringify({ decision: 'block', reason: '/compact' });
    const compacts = { shell: `test -e ../once || { touch ../once; echo '${wants}'; }`, answers: 'json' };
    place.write(
      'hookloop.yaml',
      JSON.stringify({
        version: 1,
        hooks: {
          'turn.ending': [compacts],
          'context.compacting': [{ shell: noted('context.compacting') }],
          'context.compacted': [{ shell: noted('context.compacted') }],
        },
      }),
    );
    place.write('../told', '');
    place.model.script([{ text: 'One.' }, { text: 'A summary.' }, { text: 'Two.' }]);
    const args = ['run', '--prompt', 'Do the work.', '--agent', 'claude', '--max-iterations', '1'];
    const { exit, stderr } = await runProgram(inject('program'), args, place).ended;
    expect(exit, stderr).toBe(0);
    expect(told().map(({ event }) => event)).toEqual(['context.compacting', 'context.compacted']);
  });
});
