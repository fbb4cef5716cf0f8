import { resolve } from 'node:path';
import { askAgent } from '../../actions/judge/ask-agent.ts';
import { createMark, markedEnv } from '../../actions/process/stop.ts';
import { missingAgent, resolveAgent } from '../../agents/index.ts';
import { loadSettings } from '../../hooks/discovery/find-files.ts';
import { loadHooks } from '../../hooks/discovery/load.ts';
import { createLook } from '../../hooks/discovery/look.ts';
import type { HookDefinition, Places, Problem } from '../../model/index.ts';
import { readRegularFile } from '../../platform/files.ts';
import { type BacktestContext, type Backtested, backtestHooks } from '../backtest.ts';
import { unknownAgentText } from '../check-references.ts';
import { agentWithCredentials, setIn } from '../session-environment.ts';
import { type RulesAnswer, readRulesAnswer, rulesQuestion, secondQuestion } from './rules-question.ts';
import { type RefusedEntry, type TriedEntry, tryProposal } from './try-proposal.ts';

interface RulesRequest {
  /** A Markdown file, as it was named. */
  file: string;
  agent?: string | undefined;
}

interface RulesContext extends BacktestContext {
  program: string;
  /** Hears what is being done; an agent takes its time. */
  onStep(text: string): void;
}

/** What could be written, and nothing has been. */
export interface Proposal {
  kind: 'proposal';
  agent: string;
  entries: readonly ProposedRule[];
  refused: readonly RefusedEntry[];
  uncheckable: RulesAnswer['uncheckable'];
  backtested: Backtested;
  places: Places;
}

export interface ProposedRule extends TriedEntry {
  /** What it would run stands in the rules themselves, word for word; true where it runs nothing. */
  isNamed: boolean;
}

type ProposalEnd =
  | Proposal
  /** `usage`: no agent, or one that no one knows; `input`: the file; `no-agent`: its program is not there; `failed`: it did not answer. */
  | { kind: 'usage' | 'input' | 'no-agent' | 'failed'; why: string }
  | { kind: 'broken'; problems: readonly Problem[] };

const maxBytes = 256 * 1024;
const answerMs = 10 * 60_000;
/** How far back what has happened is looked at. */
export const backtestDays = 30;

/** Has an agent make hooks of the rules in a file, and tries them. Contract: writes nothing in the project. */
export async function proposeRules({ file, agent }: RulesRequest, context: RulesContext): Promise<ProposalEnd> {
  const { cwd, env, mask, signal } = context;
  const rules = rulesIn(resolve(cwd, file));
  if ('why' in rules) return { kind: 'input', why: `${file} ${rules.why}` };
  const look = createLook();
  const { places, problems, hooks } = loadHooks({ cwd, env, look });
  const refusing = problems.filter(({ refuses }) => refuses);
  if (refusing.length > 0) return { kind: 'broken', problems: refusing };
  const spec = agent ?? loadSettings(places, look).agent;
  if (spec === undefined)
    return { kind: 'usage', why: 'there is no agent to ask: write --agent AGENT, or agent: in hookloop.yaml' };
  const known = resolveAgent(spec, { cwd: places.root, env });
  if ('message' in known) return { kind: 'usage', why: unknownAgentText(known) };
  const missing = missingAgent(spec, { cwd: places.root, env, root: places.root });
  if (missing !== undefined) return { kind: 'no-agent', why: missing };
  context.onStep(`asking ${spec} about ${file}`);
  const answer = await answerOf(spec, mask(rulesQuestion(file, rules.text)), places, context);
  if ('why' in answer) return { kind: 'failed', why: `${spec} did not answer: ${answer.why}; nothing was written` };
  context.onStep('trying what it proposes');
  const spoken = answer.entries.filter(({ sentence }) => isSpoken(sentence, rules.text));
  const tried = await tryProposal(spoken, context);
  const invented = answer.entries
    .filter(proposed => !spoken.includes(proposed))
    .map(proposed => ({ proposed, why: `its sentence does not stand in ${file}` }));
  const standing = tried.good.filter(({ hook }) => hooks.some(one => isNative(one) && does(one) === does(hook)));
  const entries = tried.good
    .filter(one => !standing.includes(one))
    .map(one => ({
      ...one,
      isNamed: one.runs === undefined || isNamedIn(one.runs, rules.text),
    }));
  const backtested = await backtestHooks(
    entries.map(({ hook }) => hook),
    places,
    { paths: [], all: false, sinceMs: Date.now() - backtestDays * 86_400_000 },
    { cwd, env, mask, signal },
  );
  return {
    ...{ kind: 'proposal', agent: spec, entries, backtested, places },
    refused: [
      ...invented,
      ...tried.refused,
      ...standing.map(proposed => ({ proposed, why: 'hookloop.yaml has it already' })),
    ],
    uncheckable: answer.uncheckable,
  };
}

const isNative = ({ source }: HookDefinition): boolean => source.file === 'hookloop.yaml';

/** What a hook does, wherever it stands and whatever it is called. */
const does = ({ id: _id, name: _name, place: _place, source: _source, ...rest }: HookDefinition): string =>
  JSON.stringify(rest);

function rulesIn(path: string): { text: string } | { why: string } {
  const found = readRegularFile(path, maxBytes);
  if (found.kind === 'absent') return { why: 'does not exist' };
  if (found.kind === 'unreadable') return { why: found.reason };
  const text = found.bytes.toString('utf8').replace(/^\ufeff/, '');
  if (text.includes('\0')) return { why: 'is not a text file' };
  return text.trim() === '' ? { why: 'is empty' } : { text };
}

/** Word for word, and not as a part of other words. */
const isNamedIn = (command: string, rules: string): boolean => {
  const at = rules.indexOf(command);
  const around = `${rules[at - 1] ?? ' '}${rules[at + command.length] ?? ' '}`;
  return at !== -1 && !/[\w/-]/.test(around);
};

/** As people read it: line ends and the marks of Markdown do not count. A single word may stand anywhere, and no part of one is a sentence. */
const isSpoken = (sentence: string, rules: string): boolean => {
  const [said, text] = [spoken(sentence), spoken(rules)];
  const at = text.indexOf(said);
  const isSentence = said.includes(' ') || /[^\0-\x7f]{4}/.test(said);
  return isSentence && at !== -1 && !/\w/.test(text[at - 1] ?? '');
};

const spoken = (text: string): string =>
  text
    .replaceAll(/[*_`]/g, '')
    .replaceAll(/\s+/g, ' ')
    .replace(/^[-\s]+/, '')
    .replace(/[.\s]+$/, '');

/** A bad answer gets one chance more. */
async function answerOf(
  spec: string,
  question: string,
  { root }: Places,
  { env, signal }: RulesContext,
): Promise<RulesAnswer | { why: string }> {
  let read: ReturnType<typeof readRulesAnswer> = { flaw: '' };
  let asked = 0;
  const said = await askAgent({
    ...{ question, tools: 'none', who: 'the agent', cwd: root, signal, timeoutMs: answerMs },
    agent: agentWithCredentials(spec, { cwd: root, env, watchEdits: false }),
    env: setIn(markedEnv(env, `${createMark()}-rules`)),
    next(text) {
      asked += 1;
      read = readRulesAnswer(text);
      return 'flaw' in read && asked === 1 ? secondQuestion(read.flaw) : undefined;
    },
  });
  if (said.kind === 'timed-out') return { why: `it took longer than ${answerMs / 60_000} minutes` };
  if (said.kind === 'cancelled') return { why: 'it was cut off' };
  if (said.kind !== 'answer') return { why: said.reason };
  return 'flaw' in read ? { why: `what it says is not what it was asked for, twice: ${read.flaw}` } : read;
}
