import { appendFileSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { About } from '../../model/explanation.ts';
import type { Decision, EventName } from '../../model/index.ts';
import { fieldsOf, jsonOf } from '../../model/json.ts';
import { inPrivateFolder } from '../../platform/files.ts';

/** What a hook in shadow would have refused outside sessions of ours. */
export interface ShadowNote {
  at: string;
  /** Of the project. */
  root: string;
  agent?: string;
  /** The agent's own. */
  session?: string;
  event: EventName;
  about: About;
  hook: string;
  name: string;
  would: Exclude<Decision['kind'], 'proceed'>;
  reason: string;
}

const maxBytes = 2 * 1024 * 1024;

const fileIn = (memory: string): string => join(memory, 'shadow.jsonl');

/** Contract: never throws; what cannot be kept is lost, since nothing depends on it. */
export function keepShadowNotes(memory: string | undefined, notes: readonly ShadowNote[]): void {
  if (memory === undefined || notes.length === 0) return;
  const file = fileIn(memory);
  const lines = notes.map(note => `${JSON.stringify(note)}\n`).join('');
  try {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) renameSync(file, `${file}.old`);
    inPrivateFolder(file, () => appendFileSync(file, lines, { mode: 0o600 }));
  } catch {
    // A call of an agent must not fail for it.
  }
}

/** Those of a project, the oldest first. */
export function readShadowNotes(memory: string | undefined, root: string): ShadowNote[] {
  if (memory === undefined) return [];
  return [`${fileIn(memory)}.old`, fileIn(memory)].flatMap(file => linesOf(file)).filter(note => note.root === root);
}

function linesOf(file: string): ShadowNote[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap(line => {
    const note = fieldsOf(jsonOf(line));
    const isWhole = ['at', 'root', 'event', 'hook', 'name', 'would', 'reason'].every(
      field => typeof note[field] === 'string',
    );
    return isWhole && typeof note['about'] === 'object' && note['about'] !== null
      ? [note as unknown as ShadowNote]
      : [];
  });
}
