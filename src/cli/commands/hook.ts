import { answerHost, type HostAnswer } from '../../app/answer-host.ts';
import { plansOnDisk } from '../../app/plan-source.ts';
import { type Arguments, type Command, type CommandIo, UsageError } from '../command.ts';
import type { Io } from '../io.ts';
import { createSay } from '../print/say.ts';
import { watchSignals } from '../signals.ts';

export const hook: Command = {
  name: 'hook',
  summary: "Answer one call of an agent's own hooks: its payload on stdin, its answer on stdout",
  arguments: ['AGENT', '[EVENT]'],
  options: {
    http: { doc: 'make sure that hookloop serve is running, which the next calls go to' },
    from: { value: 'FILE', doc: 'the file that the entry is in: what to remove if a part of hookloop is missing' },
    state: { value: 'DIR', doc: "the user's state folder, whatever the environment says; set by the launcher" },
  },
  example: `echo '{"tool_name":"Bash","tool_input":{"command":"ls"}}' | hookloop hook claude PreToolUse`,
  run: answerHook,
};

async function answerHook(
  { positionals: [agent = '', event], values, flags }: Arguments,
  io: CommandIo,
): Promise<number> {
  const interruption = watchSignals();
  const call = { agent, event, input: io.input() ?? '', from: values['from'] };
  const program = process.argv[1]!;
  const reach = flags.has('http') && (await import('../../app/reach-serve.ts')).reachServe;
  const unreached = reach && (await reach(call, { ...io, program }));
  if (unreached) return give(unreached, io);
  const { cwd, env, mask } = io;
  const say = createSay(io, mask);
  const answer = await answerHost(call, {
    ...{ cwd, env, mask, warn: say.line, signal: interruption.signal, program },
    ...{ plans: plansOnDisk, parent: process.ppid, lacksAgentEnv: false, state: values['state'] },
  });
  if ('kind' in answer) throw new UsageError(answer.why);
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
