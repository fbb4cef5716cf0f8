import { answers } from './corpus/answers.ts';
import { broken } from './corpus/broken.ts';
import { contexts, refusedPrompts, slowFirst } from './corpus/contexts.ts';
import { formatters } from './corpus/formatters.ts';
import { guards } from './corpus/guards.ts';
import { handlers, judges } from './corpus/handlers.ts';
import { life } from './corpus/life.ts';
import { matchers } from './corpus/matchers.ts';
import { stops } from './corpus/stops.ts';
import type { Pack } from './hook-file.ts';

const said = (...texts: string[]) => texts.map(text => ({ text }));

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
];
