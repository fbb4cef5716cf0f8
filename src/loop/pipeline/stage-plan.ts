import { join, resolve } from 'node:path';
import { childOf, entryOf, type Span } from '../../config/located.ts';
import type { Look } from '../../hooks/discovery/look.ts';
import { namedAgents } from '../../model/agent.ts';
import type { StagePlan, Termination } from '../../model/pipeline.ts';
import { fillPrompt } from './fill-prompt.ts';
import type { Part, ReadFile, StageSettings } from './pipeline-reader.ts';

interface StageParts {
  id: string;
  index: number;
  /** The stage as the pipeline writes it; absent where a loop runs alone. */
  entry?: Part;
  /** The file that `loop:` or `stage:` names. */
  loop?: ReadFile;
  inputs: StagePlan['inputs'];
  pipeline: { agent?: string | readonly string[] | undefined; commands?: Readonly<Record<string, string>> | undefined };
}

/** One stage with everything resolved. What the entry says goes before what the loop says. */
export function buildStage(
  { id, index, entry, loop, inputs, pipeline }: StageParts,
  look: Look,
): StagePlan | undefined {
  const said: Part['settings'] = { ...(loop?.settings as Part['settings'] | undefined), ...entry?.settings };
  const perspectives = said.perspectives ?? [];
  const own = namedAgents(said.agent);
  const prompt = promptOf(entry, loop, pipeline.commands ?? {}, look);
  const termination = terminationOf(entry, loop, {
    perspectives: perspectives.length,
    agent: own.agent ?? namedAgents(pipeline.agent).agent,
  });
  if (prompt === undefined || termination === undefined) return undefined;
  return {
    id,
    index,
    template: loop?.name ?? 'inline',
    role: (said.role as StagePlan['role'] | undefined) ?? roleByName([id, entry?.settings.name]),
    prompt,
    termination,
    delayMs: Math.min(Math.round((said.delay ?? 0) * 1000), Number.MAX_SAFE_INTEGER),
    inputs,
    perspectives,
    ...own,
    hooks: [...(loop?.hooks ?? []), ...(entry?.hooks ?? [])],
    disableGlobalHooks: [loop, entry].some(part => part?.settings.disable_global_hooks === true),
    passEnv: [...new Set([...(loop?.settings.pass_env ?? []), ...(entry?.settings.pass_env ?? [])])],
  };
}

const roleByName = (names: readonly (string | undefined)[]): StagePlan['role'] =>
  names.some(name => name === 'plan' || name === 'planning') ? 'planner' : 'builder';

/** The text of a stage's prompt: the entry's own, else the loop's. Undefined where there is none, which is reported. */
function promptOf(
  entry: Part | undefined,
  loop: Part | undefined,
  commands: Readonly<Record<string, string>>,
  look: Look,
): string | undefined {
  const part = [entry, loop].find(given => given?.settings.prompt !== undefined);
  const text = part ? writtenPrompt(part, part.settings.prompt!, look) : loop && defaultPrompt(loop, look);
  if (text === undefined) return undefined;
  const named = { ...commands, ...loop?.settings.commands, ...entry?.settings.commands };
  return withContext(text, entry?.settings.context ?? loop?.settings.context, named);
}

function writtenPrompt(part: Part, written: string, look: Look): string | undefined {
  const name = written.trim();
  if (/\s/.test(name)) return written;
  const named = name.endsWith('.md') ? [name] : [name, `${name}.md`];
  const candidates = [...named, ...named.map(file => join('prompts', file))];
  const span = childOf(part.node, 'prompt')!.span;
  return readFirst(part, candidates, span, look, `no prompt file "${name}"`);
}

function defaultPrompt(loop: Part, look: Look): string | undefined {
  const start = loop.node.span.start;
  return readFirst(loop, ['prompt.md', 'prompts/prompt.md'], { start, end: start }, look, 'no prompt');
}

function readFirst(part: Part, names: readonly string[], at: Span, look: Look, missing: string): string | undefined {
  const name = names.find(candidate => look.stat(resolve(part.folder, candidate))?.isFile());
  if (name === undefined) {
    part.report.error(at, missing, `make ${names.join(' or ')} beside this file, or write the text itself in prompt:`);
    return undefined;
  }
  const content = look.text(resolve(part.folder, name));
  if (content.kind === 'text' && content.text.trim() !== '') return content.text;
  const reason = content.kind === 'text' ? 'is empty' : content.kind === 'absent' ? 'is gone' : content.reason;
  part.report.error(at, `the prompt file ${name} ${reason}`);
  return undefined;
}

/** `context:` stands where the prompt says ${CONTEXT}, else at its end. */
function withContext(text: string, context: string | undefined, commands: Readonly<Record<string, string>>): string {
  const named = Object.entries(commands).map(([name, command]) => [`COMMANDS.${name}`, command]);
  const filled = fillPrompt(text, { ...Object.fromEntries(named), CONTEXT: context?.trimEnd() ?? '' });
  return context === undefined || text.includes('${CONTEXT}')
    ? filled
    : `${filled.trimEnd()}\n\n${context.trimEnd()}\n`;
}

type Written = NonNullable<StageSettings['termination']> & { type: Termination['type'] };

const defaultMax = 25;
const defaultConsensus = 2;

/** When a stage ends: the entry's own rule before the loop's, `runs` and `max` of the entry before either's numbers. */
function terminationOf(
  entry: Part | undefined,
  loop: Part | undefined,
  stage: { perspectives: number; agent?: string | undefined },
): Termination | undefined {
  const part = [entry, loop].find(given => given?.settings.termination);
  const written = (part?.settings.termination ?? { type: 'fixed' }) as Written;
  if (!areCounts(entry, ['runs', 'max']) || (part && !isWellFormed(part, written))) return undefined;
  const limit = smallest(entry?.settings.runs, entry?.settings.max);
  if (written.type === 'fixed') {
    const iterations = limit ?? smallest(written.iterations, written.max) ?? Math.max(1, stage.perspectives);
    return { type: 'fixed', iterations };
  }
  const max = limit ?? written.max ?? defaultMax;
  if (written.type === 'queue') return { type: 'queue', max };
  const consensus = written.consensus ?? defaultConsensus;
  const minIterations = Math.max(1, written.min_iterations ?? 1);
  if (Math.max(consensus, minIterations) > max) warnOfMax(part ?? entry, max);
  return { type: 'judgment', max, minIterations, consensus, ...judgeOf(part, written, stage.agent) };
}

const smallest = (...counts: (number | undefined)[]): number | undefined => {
  const given = counts.filter(count => count !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
};

/** No count may be 0: a stage that does nothing is a mistake, and consensus of no one ends at once. */
function areCounts(part: Part | undefined, keys: readonly string[]): boolean {
  const zeros = keys.map(key => childOf(part?.node, key)).filter(node => node?.kind === 'scalar' && node.value === 0);
  for (const zero of zeros) part!.report.error(zero!.span, 'must be at least 1', 'write 1 or more, or remove it');
  return zeros.length === 0;
}

const meant: Readonly<Record<Written['type'], readonly string[]>> = {
  fixed: ['type', 'iterations', 'max'],
  queue: ['type', 'max'],
  judgment: ['type', 'max', 'min_iterations', 'consensus', 'judge'],
};

function isWellFormed(part: Part, { type }: Written): boolean {
  const node = childOf(part.node, 'termination');
  for (const { key, keySpan } of node?.kind === 'map' ? node.entries : [])
    if (Object.values(meant).some(keys => keys.includes(key)) && !meant[type].includes(key))
      part.report.warning(
        keySpan,
        `"${key}" has no effect where type is ${type}`,
        `known there: ${meant[type].join(', ')}`,
      );
  return areCounts(node && { ...part, node }, ['iterations', 'max', 'consensus']);
}

function warnOfMax(part: Part | undefined, max: number): void {
  const place = entryOf(part?.node, 'termination');
  if (place)
    part!.report.warning(
      place.keySpan,
      `the stage always ends at its maximum of ${max}`,
      'raise max: or lower the rest',
    );
}

function judgeOf(part: Part | undefined, { judge }: Written, agent: string | undefined): { judge?: string } {
  const named = typeof judge === 'object' ? judge.agent : judge === true ? agent : judge === false ? undefined : judge;
  if (named) return { judge: named };
  if (judge === true || typeof judge === 'object')
    part!.report.warning(
      childOf(childOf(part!.node, 'termination'), 'judge')!.span,
      'names no judge',
      'write judge: AGENT',
    );
  return {};
}
