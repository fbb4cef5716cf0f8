import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Gemini CLI 0.61 names the file of a conversation after the minute it began in. Whoever loads it within that minute
 * overwrites it, and it is gone. An hour later it is not, so the files get the name of an hour ago.
 */
export function ageChats(home: string): void {
  const chats = join(home, '.gemini/tmp/project/chats');
  for (const file of readdirSync(chats)) renameSync(join(chats, file), join(chats, anHourAgo(file)));
}

const anHourAgo = (file: string): string =>
  file.replace(/\d{4}-\d\d-\d\dT\d\d-\d\d/, time => {
    const [day, minute] = time.split('T') as [string, string];
    const before = new Date(Date.parse(`${day}T${minute.replace('-', ':')}Z`) - 3_600_000);
    return before.toISOString().slice(0, 16).replace(':', '-');
  });
