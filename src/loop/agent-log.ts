import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';

/** What the agent's program prints beside its answers: in a file of the session's folder, and the last of it at hand. */
export interface AgentLog {
  file: string;
  add(line: string): void;
  /** The last lines since it was emptied, which it is then. */
  takeLast(): readonly string[];
}

export function createAgentLog(file: string, mask: (text: string) => string): AgentLog {
  let last: string[] = [];
  let isFull = false;
  return {
    file,
    add(line) {
      const text = mask(line).slice(0, maxLine);
      if (text.trim() !== '') last = [...last, text].slice(-lastLines);
      if (!isFull) isFull = !appendPrivate(file, `${new Date().toISOString()} ${text}\n`, maxBytes);
    },
    takeLast() {
      const lines = last;
      last = [];
      return lines;
    },
  };
}

const lastLines = 10;
const maxLine = 2000;
/** More than anybody reads: some agents print without end. */
const maxBytes = 8 * 1024 * 1024;

/** Nothing that stands in its place is followed or waited for: an agent could lead us anywhere. */
const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** False where nothing more can be kept, on which nothing depends. */
export function appendPrivate(file: string, text: string, limitBytes: number): boolean {
  try {
    const fd = openSync(file, flags, 0o600);
    try {
      const stats = fstatSync(fd);
      if (!stats.isFile() || stats.size > limitBytes) return false;
      writeSync(fd, text);
      return true;
    } finally {
      closeSync(fd);
    }
  } catch {
    return false;
  }
}
