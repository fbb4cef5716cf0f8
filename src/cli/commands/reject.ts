import type { Command } from '../command.ts';
import { answerCommand } from './approve.ts';

export const reject: Command = answerCommand('reject', 'Answer no to a question that waits for a person');
