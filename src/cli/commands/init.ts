import { agentLack, agentTrouble, lookAround, type Surroundings, writeStarter } from '../../app/init.ts';
import { type Asking, canAsk, isNo, isYes, openAsking } from '../ask-yes-no.ts';
import { type Command, type CommandIo, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import {
  asked,
  existsText,
  foundText,
  initJson,
  nextSteps,
  notThat,
  questions,
  thereAlready,
  writtenText,
} from '../print/init.ts';
import { terminalOf } from '../print/paint.ts';
import { flat, jsonText } from '../print/text.ts';
import { initRules } from './init-rules.ts';
import { ownProgram } from './install.ts';

/** What goes into the file beside what was found. */
interface Wishes {
  agent: string | undefined;
  gates: Surroundings['gates'];
  denyPush: boolean;
}

export const init: Command = {
  name: 'init',
  summary: 'Write a first hookloop.yaml with the tests and checks this project already has',
  options: {
    yes: { short: 'y', doc: 'do not ask; use everything that was found' },
    agent: {
      value: 'AGENT',
      doc: 'the agent that hookloop run starts: claude, codex, gemini, qwen, opencode, acp:COMMAND, ...',
    },
    rules: {
      value: 'FILE',
      doc: 'have the agent make hooks of the rules in FILE (AGENTS.md), and take those you like',
    },
  },
  example: 'hookloop init --yes',
  async run({ flags, values }, io) {
    const { agent } = values;
    const trouble = agent === undefined ? undefined : agentTrouble(agent, io);
    if (trouble !== undefined) throw new UsageError(trouble);
    if (values['rules'] !== undefined)
      return initRules({ file: values['rules'], agent, isYes: flags.has('yes'), isJson: flags.has('json') }, io);
    const found = lookAround({ cwd: io.cwd, env: io.env, program: ownProgram() });
    if (found.kind === 'exists') {
      io.err(existsText(found, io.cwd));
      return exit.failed;
    }
    const isJson = flags.has('json');
    const isAsked = !flags.has('yes');
    if (isAsked && (isJson || !canAsk(io)))
      throw new UsageError('there is no terminal to ask on; hookloop init --yes uses what it finds');
    if (!isJson) io.err(io.mask(foundText(found, terminalOf(io, undefined, 'err'))));
    const wishes = isAsked
      ? await ask(found, agent, io)
      : { agent: agent ?? found.usual, gates: found.gates, denyPush: true };
    if (wishes === undefined) {
      io.err('\nNothing was written.\n');
      return exit.failed;
    }
    return write(found, wishes, isJson, io);
  },
};

function write(found: Surroundings, wishes: Wishes, isJson: boolean, io: CommandIo): number {
  const { path, schema } = found;
  const written = writeStarter(path, { ...wishes, schema, idea: found.gates[0]?.command });
  if (written.kind === 'exists') {
    io.err(existsText({ path, what: thereAlready }, io.cwd));
    return exit.failed;
  }
  if (written.kind === 'failed') {
    io.err(`hookloop init: nothing was written: ${flat(`${path}: ${written.reason}`)}\n`);
    return exit.failed;
  }
  const steps = nextSteps({ ...found, ...wishes }, wishes.agent && agentLack(wishes.agent, io));
  if (isJson) io.out(jsonText(initJson(path, wishes, steps)));
  else io.err(writtenText(path, written.text, steps, { cwd: io.cwd, ...terminalOf(io, undefined, 'err') }));
  return exit.done;
}

/** Three questions; undefined where someone does not answer. */
async function ask(found: Surroundings, agent: string | undefined, io: CommandIo): Promise<Wishes | undefined> {
  const asking = openAsking(io);
  const terminal = terminalOf(io, undefined, 'err');
  const put: Put = question => asking.ask(asked(io.mask(question), terminal));
  try {
    io.err(questions.beforehand);
    const named = agent === undefined ? await askAgent(found.usual, put, io) : agent;
    const gates = named === undefined ? undefined : await askGates(found, put, io);
    const denyPush = gates && (await askAgreed(questions.denyPush, put, io));
    if (gates === undefined || denyPush === undefined) return undefined;
    io.err('\n');
    return { agent: named === '' ? undefined : named, gates, denyPush };
  } finally {
    asking.close();
  }
}

type Put = Asking['ask'];

/** Until it is yes or no. */
async function askAgreed(question: string, put: Put, io: CommandIo): Promise<boolean | undefined> {
  for (;;) {
    const line = await put(question);
    if (line === undefined || isYes(line) || isNo(line)) return line === undefined ? undefined : isYes(line);
    if (line.trim() === '') return true;
    io.err(notThat(questions.yesOrNo, terminalOf(io, undefined, 'err')));
  }
}

/** Until it is one that is known; empty for none. */
async function askAgent(usual: string | undefined, put: Put, io: CommandIo): Promise<string | undefined> {
  for (;;) {
    const line = await put(questions.agent(usual));
    const named = line?.trim() === '' ? (usual ?? '') : line?.trim();
    if (named === undefined) return undefined;
    if (named === '' || named === 'none') return '';
    const trouble = agentTrouble(named, io);
    if (trouble === undefined) return named;
    io.err(notThat(trouble, terminalOf(io, undefined, 'err')));
  }
}

async function askGates({ gates }: Surroundings, put: Put, io: CommandIo): Promise<Surroundings['gates'] | undefined> {
  if (gates.length > 0) {
    const isAgreed = await askAgreed(questions.gates(gates), put, io);
    return isAgreed === undefined ? undefined : isAgreed ? gates : [];
  }
  const command = (await put(questions.gates(gates)))?.trim();
  if (command === undefined) return undefined;
  return command === '' || command === 'none' ? [] : [{ kind: 'tests', command, from: 'you' }];
}
