import type { Pack } from './hook-file.ts';

export type Payload = Readonly<Record<string, unknown>>;

/** One time at which hooks ran. `step`: how often the model had been asked before. */
export interface Firing {
  event: string;
  step: number;
  payload: Payload;
  /** Lines of the transcript at that time, where hooks read it. */
  transcript?: string;
}

export interface Observed {
  /** What came of each firing, as `PreToolUse Bash: refused`; at the end those of events that no one waits for, once each. */
  outcomes: readonly string[];
  /** The texts of hooks that the model got, step by step and event by event. */
  heard: readonly string[];
  /** The texts of hooks that the person was shown. */
  shown: readonly string[];
}

/** What Claude Code did with a pack: written once, compared ever after. */
export interface Recorded {
  version: string;
  /** How often the model was asked: what hooks say after the last time reaches no one. */
  steps: number;
  firings: readonly Firing[];
  observed: Observed;
}

export type Outcome = 'goes on' | 'refused' | `goes on with ${string}`;

/** The outcomes in their order. What Claude Code tells without waiting comes sooner or later, so that its place says nothing. */
export function inPlace(lines: readonly { firing: Firing; outcome: Outcome }[]): string[] {
  const written = ({ firing, outcome }: (typeof lines)[number]) => `${titleOf(firing)}: ${outcome}`;
  const waited = lines.filter(({ firing }) => !toldAside.has(firing.event));
  const aside = lines.filter(({ firing }) => toldAside.has(firing.event));
  return [...waited.map(written), ...[...new Set(aside.map(written))].sort()];
}

const toldAside: ReadonlySet<string> = new Set([
  ...['CwdChanged', 'FileChanged', 'InstructionsLoaded', 'Notification', 'ConfigChange'],
]);

/** What a tool is called with instead. */
export const goesOnWith = (input: unknown): Outcome =>
  `goes on with ${JSON.stringify(Object.fromEntries(Object.entries(input as object).sort()))}`;

/** A hook has ended the turn: the model is not asked again. */
export const endedLine = (step: number): string => `the turn ends in step ${step}`;

/** A refusal of these is for the person: no model is told. */
export const toldToPerson: ReadonlySet<string> = new Set(['UserPromptSubmit', 'PreCompact']);

export const titleOf = ({ event, payload }: Firing): string => {
  const what = payload['tool_name'] ?? payload['agent_type'] ?? payload['trigger'] ?? payload['source'];
  return typeof what === 'string' ? `${event} ${what}` : event;
};

export const textsOf = ({ files }: Pack): readonly string[] => [...new Set(files.flatMap(({ texts }) => texts))];

/** Hooks of one event run side by side: where they are as quick as each other, the order among their texts says nothing. */
export const heardLine = ({ inOrder }: Pack, step: number, event: string, texts: readonly string[]): string => {
  const once = [...new Set(texts)];
  return `${step} ${event}: ${(inOrder ? once : once.sort()).join(' | ')}`;
};

/** Those of the texts that stand in what was said, in the order in which they stand there. */
export const textsIn = (said: string, texts: readonly string[]): string[] =>
  texts.filter(text => said.includes(text)).sort((one, other) => said.indexOf(one) - said.indexOf(other));
