import { type Proposal, type ProposedRule, proposeRules } from '../../app/init/propose-rules.ts';
import { planFiles, writeFiles } from '../../app/init/write-rules.ts';
import { describeProblem } from '../../model/index.ts';
import { maskDeep } from '../../model/mask.ts';
import { canAsk, isNo, isYes, openAsking } from '../ask-yes-no.ts';
import { type CommandIo, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import { InputError } from '../io.ts';
import { refuseAgents } from '../not-for-agents.ts';
import { proposalText, rulesJson, takeQuestion } from '../print/init-rules.ts';
import { problemPaint, terminalOf } from '../print/paint.ts';
import { flat, jsonText } from '../print/text.ts';
import { watchSignals } from '../signals.ts';
import { ownProgram } from './install.ts';

interface RulesOptions {
  file: string;
  agent: string | undefined;
  isYes: boolean;
  isJson: boolean;
}

/** `init --rules FILE`: nothing is written without a yes. Contract: throws UsageError and InputError. */
export async function initRules(
  { file, agent, isYes: isAgreed, isJson }: RulesOptions,
  io: CommandIo,
): Promise<number> {
  refuseAgents('init --rules', io);
  if (!isAgreed && (isJson || !canAsk(io)))
    throw new UsageError('there is no terminal to ask on; --yes takes all that pass check and test');
  const interruption = watchSignals();
  const { cwd, env, mask } = io;
  const say = (text: string): void => io.err(`hookloop init: ${flat(mask(text))}\n`);
  const context = { cwd, env, mask, signal: interruption.signal, program: ownProgram() };
  const proposal = await proposeRules({ file, agent }, { ...context, onStep: text => say(`${text} ...`) });
  const ended = interruption.exitCode();
  if (ended !== undefined) return ended;
  switch (proposal.kind) {
    case 'usage':
      throw new UsageError(proposal.why);
    case 'input':
      throw new InputError(proposal.why);
    case 'no-agent':
      say(proposal.why);
      return exit.noAgent;
    case 'failed':
      say(proposal.why);
      return exit.failed;
    case 'broken':
      for (const each of proposal.problems)
        io.err(`${mask(describeProblem(each, problemPaint(terminalOf(io).colours)))}\n`);
      return exit.badConfig;
  }
  const plan = (entries: readonly ProposedRule[]) => planFiles(entries, { places: proposal.places, from: file, agent });
  const whole = plan(proposal.entries);
  const files = whole.kind === 'files' ? whole.files : [];
  if (!isJson) io.err(mask(proposalText(proposal, files, terminalOf(io, undefined, 'err'))));
  if (whole.kind === 'flaw') {
    say(`nothing was written: ${whole.why}`);
    return exit.failed;
  }
  const taken = isAgreed
    ? proposal.entries.filter(({ isNamed }) => isNamed)
    : await takenBy(proposal, io, interruption.signal);
  if (interruption.exitCode() !== undefined) {
    io.err('\nNothing was written.\n');
    return interruption.exitCode()!;
  }
  for (const { runs, isNamed } of isAgreed ? proposal.entries : [])
    if (!isNamed) say(`not taken: ${runs} would be run, and does not stand in ${file}`);
  const planned = plan(taken);
  const flaw =
    planned.kind === 'flaw' ? planned.why : writeFiles(taken.length === 0 ? [] : planned.files, proposal.places);
  const written = planned.kind === 'files' && flaw === undefined && taken.length > 0 ? planned.files : [];
  if (flaw !== undefined) say(`nothing was written: ${flaw}`);
  if (isJson) io.out(jsonText(maskDeep(rulesJson(proposal, written.length > 0 ? taken : [], written), mask)));
  else if (written.length === 0) io.err('Nothing was written.\n');
  else
    io.err(
      `Wrote ${written.map(({ name }) => name).join(' and ')}. Next: hookloop check, hookloop test, hookloop trust\n`,
    );
  return written.length > 0 ? exit.done : exit.failed;
}

/** Those that a person says yes to, one by one. */
async function takenBy({ entries }: Proposal, io: CommandIo, signal: AbortSignal): Promise<readonly ProposedRule[]> {
  const asking = openAsking(io, signal);
  const taken: ProposedRule[] = [];
  try {
    for (const [at, entry] of entries.entries())
      for (;;) {
        const line = (await asking.ask(`${takeQuestion(at, entries.length)} `))?.trim().toLowerCase();
        if (line === undefined || line === 'none') return [];
        if (line === 'all') return [...taken, ...entries.slice(at)];
        if (isYes(line)) taken.push(entry);
        if (isYes(line) || isNo(line)) break;
        io.err('Please answer y, n, all or none.\n');
      }
    return taken;
  } finally {
    asking.close();
  }
}
