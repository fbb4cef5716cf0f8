import { agentLack, agentTrouble, lookAround, type Surroundings, writeStarter } from '../../app/init.ts';
import { type Asking, canAsk, isYes, openAsking } from '../ask-yes-no.ts';
import { type Command, type CommandIo, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import { existsText, foundText, initJson, nextSteps, questions, writtenText } from '../print/init.ts';
import { terminalOf } from '../print/paint.ts';
import { flat, jsonText } from '../print/text.ts';
import { ownProgram } from './install.ts';

/** What goes into the file beside what was found. */
interface Wishes {
  agent: string | undefined;
  gates: Surroundings['gates'];
  denyPush: boolean;
}

export const init: Command = {
  name: 'init',
  summary: 'Write a first hookloop.yaml with the checks that this project already has',
  options: {
    yes: { short: 'y', doc: 'do not ask: take everything that is found' },
    agent: {
      value: 'AGENT',
      doc: 'who works in hookloop run: claude, codex, gemini, qwen, opencode, acp:COMMAND, ...',
    },
  },
  example: 'hookloop init --yes',
  async run({ flags, values }, io) {
    const { agent } = values;
    const trouble = agent === undefined ? undefined : agentTrouble(agent, io);
    if (trouble !== undefined) throw new UsageError(trouble);
    const found = lookAround({ cwd: io.cwd, env: io.env, program: ownProgram() });
    if (found.kind === 'exists') {
      io.err(existsText(found, io.cwd));
      return exit.failed;
    }
    const isJson = flags.has('json');
    const isAsked = !flags.has('yes');
    if (isAsked && (isJson || !canAsk(io)))
      throw new UsageError('there is no terminal to ask on; hookloop init --yes takes what it finds');
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
  const written = writeStarter(path, { ...wishes, schema });
  if (written.kind === 'exists') {
    io.err(existsText({ path, what: 'is there already' }, io.cwd));
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
  try {
    const named = agent === undefined ? await askAgent(found.usual, asking, io) : agent;
    if (named === undefined) return undefined;
    const gates = await askGates(found, asking);
    const push = gates && (await asking.ask(questions.denyPush));
    if (gates === undefined || push === undefined) return undefined;
    return { agent: named === '' ? undefined : named, gates, denyPush: isAgreed(push) };
  } finally {
    asking.close();
  }
}

const isAgreed = (line: string): boolean => line.trim() === '' || isYes(line);

/** Until it is one that is known; empty for none. */
async function askAgent(usual: string | undefined, asking: Asking, io: CommandIo): Promise<string | undefined> {
  for (;;) {
    const line = await asking.ask(questions.agent(usual));
    const named = line?.trim() === '' ? (usual ?? '') : line?.trim();
    if (named === undefined) return undefined;
    if (named === '' || named === 'none') return '';
    const trouble = agentTrouble(named, io);
    if (trouble === undefined) return named;
    io.err(`  ${flat(trouble)}\n`);
  }
}

async function askGates({ gates }: Surroundings, asking: Asking): Promise<Surroundings['gates'] | undefined> {
  const line = await asking.ask(questions.gates(gates));
  if (line === undefined) return undefined;
  if (gates.length > 0) return isAgreed(line) ? gates : [];
  const command = line.trim();
  return command === '' ? [] : [{ kind: 'tests', command, from: 'you' }];
}
