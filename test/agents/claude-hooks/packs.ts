import { answers } from './corpus/answers.ts';
import { broken } from './corpus/broken.ts';
import { beside, claudesOwn, setsUp, unheardOf } from './corpus/claudes-own.ts';
import { contexts, refusedPrompts, slowFirst } from './corpus/contexts.ts';
import { formatters } from './corpus/formatters.ts';
import {
  defers,
  failingCompaction,
  failingGates,
  failingPermissions,
  gateCalls,
  interrupts,
  rareAnswers,
  strictCompaction,
  strictPrompt,
  strictStop,
  suppressed,
} from './corpus/gates.ts';
import { guards } from './corpus/guards.ts';
import { handlers, judges } from './corpus/handlers.ts';
import { life } from './corpus/life.ts';
import { matchers } from './corpus/matchers.ts';
import { stops } from './corpus/stops.ts';
import { agentSaysNo, agentSaysYes, listedServers, mcpTools, wakes } from './corpus/tools.ts';
import { bash, type Pack } from './hook-file.ts';

const said = (...texts: string[]) => texts.map(text => ({ text }));

const pythonCall = [{ text: 'Next.', tools: [bash(`python3 -c 'open("asked.txt","w")'`)] }];

/** All hook files, in as few sessions as they do not disturb each other in. */
export const packs: readonly Pack[] = [
  { name: 'guards', files: guards },
  { name: 'formatters', files: formatters },
  { name: 'contexts', files: [...contexts, life.ends, life.notifier] },
  { name: 'prompt-with-a-key', files: [refusedPrompts[0]!], prompt: 'Use sk-live-1 for it.' },
  { name: 'prompt-off-topic', files: [refusedPrompts[1]!], prompt: 'Something off-topic.' },
  { name: 'prompt-that-ends', files: [refusedPrompts[2]!], prompt: 'Please stop-here.' },
  { name: 'prompts-let-through', files: refusedPrompts },
  { name: 'order', files: [slowFirst], inOrder: true },
  { name: 'broken', files: broken },
  { name: 'answers', files: answers },
  { name: 'matchers', files: matchers },
  { name: 'handlers', files: handlers },
  { name: 'judges', files: judges },
  {
    name: 'stop-until-done',
    files: [stops.untilDone],
    turns: [
      { text: 'I am done.' },
      { text: 'Then this.', tools: [{ name: 'Bash', args: { command: 'touch done.txt', description: 'make it' } }] },
      { text: 'Now I am.' },
    ],
  },
  { name: 'stop-once', files: [stops.onceOnly, stops.two], turns: said('Done.', 'They pass.', 'Really.') },
  {
    name: 'stop-ralph',
    files: [stops.ralph],
    turns: said('Working.', 'PROMISE KEPT', 'Nothing more.', 'Nothing at all.'),
    transcript: true,
  },
  { name: 'stop-last-message', files: [stops.lastMessage], turns: said('Done.', 'All tests pass.') },
  { name: 'stop-is-final', files: [stops.ends], turns: said('Done.') },
  { name: 'stop-adds', files: [stops.adds], turns: said('Done.', 'Really done.') },
  { name: 'call-ends', files: [stops.callEnds] },
  { name: 'result-ends', files: [stops.resultEnds] },
  { name: 'batch-stops', files: [stops.batchStops] },
  {
    name: 'subagents',
    files: [life.subagents, life.otherSubagents],
    turns: said('Found it.', 'SUMMARY: found it.', 'Done.'),
  },
  { name: 'folders-and-tasks', files: [life.folders, life.tasks] },
  { name: 'compaction', files: [life.saver], before: 'Do the work.', prompt: '/compact' },
  { name: 'compaction-refused', files: [life.keeper], before: 'Do the work.', prompt: '/compact' },
  { name: 'permissions', files: [life.permissions], tools: 'Read' },
  {
    name: 'failure',
    files: [life.failure, life.config, life.watched],
    turns: Array.from({ length: 8 }, () => ({ fails: true }) as const),
  },
  {
    name: 'failing-gates',
    files: failingGates,
    turns: [...gateCalls.map(call => ({ text: 'Next.', tools: [call] })), ...said('Looked.', 'Done.')],
  },
  { name: 'failing-permissions', files: [failingPermissions], tools: 'Read', turns: pythonCall },
  { name: 'failing-compaction', files: [failingCompaction], before: 'Do the work.', prompt: '/compact' },
  { name: 'strict-prompt', files: [strictPrompt] },
  { name: 'strict-stop', files: [strictStop], turns: said('Done.', 'Really done.') },
  { name: 'strict-compaction', files: [strictCompaction], before: 'Do the work.', prompt: '/compact' },
  { name: 'rare-answers', files: rareAnswers },
  { name: 'defer', files: [defers] },
  { name: 'interrupt', files: [interrupts], tools: 'Read' },
  { name: 'prompt-hidden', files: [suppressed] },
  { name: 'mcp-tools', files: mcpTools, tools: 'Bash mcp__house__notes' },
  { name: 'listed-servers', files: [listedServers] },
  { name: 'agent-no', files: [agentSaysNo] },
  { name: 'agent-yes', files: [agentSaysYes] },
  { name: 'wakes', files: [wakes], turns: said('Done.', 'Looked again.') },
  { name: 'own-events', files: [claudesOwn, unheardOf] },
  { name: 'set-up', files: [setsUp], words: ['--init'] },
  { name: 'beside', files: [beside] },
];
