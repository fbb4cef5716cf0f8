import { flowText } from '../../config/flow-text.ts';
import type { FoundGate } from './find-gates.ts';

/** What a first hookloop.yaml says. */
export interface Starter {
  agent: string | undefined;
  gates: readonly Pick<FoundGate, 'command' | 'kind'>[];
  /** A command that could be a gate, for what is shown as a comment. */
  idea?: string | undefined;
  /** Whether agents are kept from `git push`. */
  denyPush: boolean;
  /** What the gates depend on; absent: nothing can be protected here. */
  protect?: { files: readonly string[]; share: readonly string[] } | undefined;
  /** The schema, as editors are told of it; undefined where there is none to point to. */
  schema: string | undefined;
}

/** A file that is short, right as it stands, and teaches by what it says. */
export function starterText({ agent, gates, idea = 'make test', denyPush, schema, protect }: Starter): string {
  const blocks = [
    gateBlock(gates, idea),
    ...turnBlock(gates),
    ...(denyPush ? [denyBlock] : []),
    ideas(gates.length > 0 ? undefined : idea, denyPush),
  ];
  const isEmpty = gates.length === 0 && !denyPush;
  return [
    ...(schema === undefined ? [] : [`# yaml-language-server: $schema=${schema}`]),
    '# Hooks for coding agents. hookloop list shows what applies here,',
    '# hookloop check what is wrong.',
    '',
    agent === undefined ? '# agent: claude   # the one that hookloop run starts' : `agent: ${flowText(agent)}`,
    '',
    ...(protect && gates.length > 0 ? protectLines(protect) : []),
    // A key without a value would be no mapping.
    isEmpty ? 'hooks: {}   # take out {} when you write the first one' : 'hooks:',
    blocks.join('\n\n'),
    '',
  ].join('\n');
}

function protectLines({ files, share }: NonNullable<Starter['protect']>): string[] {
  const listed = (names: readonly string[]): string => `[${names.map(name => JSON.stringify(name)).join(', ')}]`;
  return [
    '# These decide about the work: where an agent changes one, its checks have to pass',
    '# with the original as well.',
    'protect:',
    `  files: ${listed(files)}`,
    ...(share.length > 0 ? [`  share: ${listed(share)}`] : []),
    '',
  ];
}

/** The usual time of a check that is no test: one that takes longer hangs. */
const checkTimeout = '2m';

function gateBlock(gates: Starter['gates'], idea: string): string {
  const lines = gates.map(({ command, kind }) =>
    kind === 'tests'
      ? `    - ${flowText(command)}`
      : `    - { shell: ${flowText(command)}, name: ${kind}, timeout: ${checkTimeout} }`,
  );
  const head = '  # A task is done when these pass. The agent is told what failed.';
  return gates.length > 0
    ? [head, '  task.completing:', ...lines].join('\n')
    : [head, '  # task.completing:', `  #   - ${flowText(idea)}`].join('\n');
}

/** An agent that is used by hand has no list of tasks: what it says at the end of its turn is all there is to hold it to. */
function turnBlock(gates: Starter['gates']): string[] {
  const tests = gates.find(({ kind }) => kind === 'tests');
  if (tests === undefined) return [];
  return [
    [
      '  # The same where an agent works without hookloop run (hookloop install): its turn',
      '  # ends when this passes.',
      '  turn.ending:',
      `    - { shell: ${flowText(tests.command)}, when: "STAGE == ''" }`,
    ].join('\n'),
  ];
}

const deny = '- { deny: "Leave the push to a person.", command: "git push" }';
const denyBlock = ['  # What no agent may do; it is told why.', '  tool.calling:', `    ${deny}`].join('\n');

/** What else there is to write, as comments. */
function ideas(command: string | undefined, denyPush: boolean): string {
  return [
    '  # More to try:',
    ...(denyPush ? [] : ['  # tool.calling:', `  #   ${deny}`]),
    ...(command === undefined
      ? []
      : ['  # turn.ending:   # each time an agent stops, also in its own sessions', `  #   - ${flowText(command)}`]),
    '  # iteration.starting:',
    '  #   - { tell: "Small commits. Never edit generated files." }',
  ].join('\n');
}
