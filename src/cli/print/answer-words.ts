import { byWords } from '../../model/words.ts';
import { approvalWords } from './event-words.ts';
import { shortened } from './foreign.ts';
import type { Told } from './told.ts';

export interface Answer {
  action: string;
  message: string;
  by?: string;
  title?: string;
  question?: string;
}

/** What a person's answer to an agent or a script is to people. */
export function answerWords({ action, message, by, ...asked }: Answer): Told {
  const isYes = action === 'approve';
  const who = by ? ` ${byWords(shortened(by))}` : '';
  const said = message.trim() === '' ? '' : ` (${shortened(message)})`;
  return {
    mark: isYes ? 'done' : 'refused',
    text: `${isYes ? 'approved' : 'rejected'}${who}: ${approvalWords(asked)}${said}`,
    lasting: true,
  };
}
