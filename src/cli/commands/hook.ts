import { answerHost, type HostAnswer, type HostContext } from '../../app/answer-host.ts';
import { plansOnDisk } from '../../app/plan-source.ts';
import { type Arguments, type Command, type CommandIo, UsageError } from '../command.ts';
import type { Io } from '../io.ts';
import { createSay } from '../print/say.ts';
import { type Interruption, watchSignals } from '../signals.ts';

export const hook: Command = {
  name: 'hook',
  summary: "Answer one call of an agent's own hooks: its payload on stdin, its answer on stdout",
  arguments: ['AGENT', '[EVENT]'],
  options: {
    http: { doc: 'see to it that hookloop serve is there, which the next calls go to' },
    from: { value: 'FILE', doc: 'the file that the entry stands in: what to remove where a part of hookloop is gone' },
    state: { value: 'DIR', doc: "the user's state folder, whatever the environment says; the launcher names it" },
  },
  example: `echo '{"tool_name":"Bash","tool_input":{"command":"ls"}}' | hookloop hook claude PreToolUse`,
  run: (args, io) =>
    answerHookCall(args, io, {
      ...{ interruption: watchSignals(), plans: plansOnDisk, parent: process.ppid, lacksAgentEnv: false },
      state: args.values['state'],
    }),
};

type Answering = Pick<HostContext, 'plans' | 'claims' | 'parent' | 'lacksAgentEnv' | 'state'> & {
  interruption: Interruption;
};

/** Answers one call to an exit code. Contract: throws UsageError. */
export async function answerHookCall(
  { positionals: [agent = '', event], values, flags }: Arguments,
  io: CommandIo,
  { interruption, ...context }: Answering,
): Promise<number> {
  const call = { agent, event, input: io.input() ?? '', from: values['from'] };
  const program = process.argv[1]!;
  const reach = flags.has('http') && (await import('../../app/reach-serve.ts')).reachServe;
  const unreached = reach && (await reach(call, { ...io, program }));
  if (unreached) return give(unreached, io);
  const { mask } = io;
  const say = createSay(io, mask);
  const answer = await answerHost(call, {
    ...context,
    ...{ cwd: io.cwd, env: io.env, mask, warn: say.line, signal: interruption.signal, program },
  });
  if ('kind' in answer) throw new UsageError(`unknown agent ${agent}; known: ${answer.known.join(', ')}`);
  say.flush();
  const stopped = interruption.exitCode();
  const code = give(stopped === undefined ? answer : { ...answer, stdout: '' }, io);
  return stopped ?? code;
}

function give({ stdout, stderr, exitCode }: HostAnswer, io: Io): number {
  if (stderr !== '') io.err(stderr);
  if (stdout !== '') io.out(stdout);
  return exitCode;
}
