import { appendFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readIfThere, removeIfThere, shortHash } from './files.ts';

/** Feedback that an agent's answer had no room for, kept until one has. */
export interface Notes {
  keep(text: string): void;
  take(): string;
}

const maxChars = 64 * 1024;

/** Contract: never throws; what cannot be kept is lost, since no hook decides by it. */
export function openNotes(folder: string | undefined, session: string | undefined): Notes {
  if (folder === undefined || session === undefined) return { keep: () => {}, take: () => '' };
  const file = join(folder, 'notes', `${shortHash(session)}.txt`);
  return {
    keep(text) {
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        appendFileSync(file, `${text}\n`, { mode: 0o600 });
      } catch {
        // Said in the contract.
      }
    },
    take() {
      if (!existsSync(file)) return '';
      const taken = `${file}.${process.pid}`;
      try {
        // Of two processes only one may deliver it.
        renameSync(file, taken);
      } catch {
        return '';
      }
      const text = (readIfThere(taken) ?? '').trim();
      removeIfThere(taken);
      return text.length > maxChars ? `${text.slice(0, maxChars)}\n[...]` : text;
    },
  };
}
