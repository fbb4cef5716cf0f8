import type { Refusal } from '../../model/index.ts';
import type { Answer, Reply } from '../host.ts';

export const silence: Answer = { stdout: '', stderr: '', exitCode: 0 };

export const json = (value: object): Answer => ({ ...silence, stdout: `${JSON.stringify(value)}\n` });

/** The answer with what hooks have to say to the person, where the agent reads JSON here. */
export function withMessage(answer: Answer, message: string | undefined): Answer {
  if (message === undefined || answer.exitCode !== 0) return answer;
  const said = answer.stdout === '' ? {} : (JSON.parse(answer.stdout) as { systemMessage?: string });
  const systemMessage = [said.systemMessage, message].filter(Boolean).join('\n');
  return { ...answer, ...json({ ...said, systemMessage }), stderr: answer.stderr };
}

/** For an agent that reads nothing on this event: people may still see it. */
export const told = (text: string): Answer => ({ ...silence, stderr: `${text}\n` });

/** Never empty: an agent that gets a refusal without a reason may take it for a mistake and go on. */
export const reasonOf = ({ reason, by }: Refusal): string => reason.trim() || `refused by ${by}`;

/** The reason, and what the hooks that had nothing against it said. */
export const refusalText = (refusal: Refusal, { feedback }: Reply): string =>
  [reasonOf(refusal), feedback.trim()].filter(text => text !== '').join('\n');
