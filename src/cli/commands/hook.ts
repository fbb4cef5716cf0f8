import { answerHost } from '../../app/answer-host.ts';
import { plansOnDisk } from '../../app/plan-source.ts';
import { createMask } from '../../hooks/secrets/mask.ts';
import type { Answer } from '../../hosts/host.ts';
import { type Command, UsageError } from '../command.ts';
import type { Io } from '../io.ts';
import { createSay } from '../print/say.ts';
import { watchSignals } from '../signals.ts';

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
  async run({ positionals: [agent = '', event], flags, values }, io) {
    const { cwd, env } = io;
    const call = { agent, event, input: io.input() ?? '', from: values['from'] };
    const unreached = flags.has('http') ? await (await import('../http-calls.ts')).prepare(call, io) : undefined;
    if (unreached) return give(unreached, io);
    const mask = createMask(env);
    const say = createSay(io, mask);
    const interruption = watchSignals();
    const answer = await answerHost(call, {
      ...{ cwd, env, mask, warn: say.line, state: values['state'], signal: interruption.signal },
      ...{ parent: process.ppid, plans: plansOnDisk, isWithoutSession: false, program: process.argv[1]! },
    });
    if ('kind' in answer) throw unknownAgent(agent, answer.known);
    say.flush();
    const stopped = interruption.exitCode();
    const code = give(stopped === undefined ? answer : { ...answer, stdout: '' }, io);
    return stopped ?? code;
  },
};

export const unknownAgent = (agent: string, known: readonly string[]): UsageError =>
  new UsageError(`unknown agent ${agent}; known: ${known.join(', ')}`);

function give({ stdout, stderr, exitCode }: Answer, io: Io): number {
  if (stderr !== '') io.err(stderr);
  if (stdout !== '') io.out(stdout);
  return exitCode;
}
