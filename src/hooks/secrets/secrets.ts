import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What the user's secrets files say. Warnings name files and lines, never values. */
export interface Secrets {
  values: Readonly<Record<string, string>>;
  warnings: readonly string[];
}

/** Reads `agent-pipelines/secrets.env` and `hookloop/secrets.env` of the user's config folder; of two values the latter counts. */
export function readSecrets({ config }: { config: string }): Secrets {
  const warnings: string[] = [];
  const values: Record<string, string> = {};
  for (const folder of ['agent-pipelines', 'hookloop']) {
    const path = join(config, folder, 'secrets.env');
    const text = readPrivate(path, warnings);
    if (text !== undefined) Object.assign(values, parseSecrets(text, path, warnings));
  }
  return { values, warnings };
}

/** The values, read when they are first asked for. */
export function createSecrets(
  places: { config: string },
  warn: (text: string) => void,
): () => Readonly<Record<string, string>> {
  let values: Readonly<Record<string, string>> | undefined;
  return () => {
    if (values !== undefined) return values;
    const read = readSecrets(places);
    values = read.values;
    for (const warning of read.warnings) warn(warning);
    return values;
  };
}

const maxBytes = 1024 * 1024;

function readPrivate(path: string, warnings: string[]): string | undefined {
  try {
    const stats = statSync(path);
    const flaw = stats.isFile() ? (stats.size > maxBytes ? 'over 1 MiB' : undefined) : 'not a file';
    if (flaw !== undefined) {
      warnings.push(`${path} is not read: it is ${flaw}`);
      return undefined;
    }
    if (stats.mode & 0o044) warnings.push(`${path} can be read by others: chmod 600 ${path}`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') warnings.push(`${path} cannot be read: ${code}`);
    return undefined;
  }
}

function parseSecrets(text: string, path: string, warnings: string[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [at, line] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const [, name, written] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    const value = written === undefined ? undefined : unquoted(written);
    if (name === undefined || value === undefined) warnings.push(`${path}:${at + 1} is not NAME=VALUE`);
    else values[name] = value;
  }
  return values;
}

/** As a shell would read it, but nothing is expanded. Undefined: a quote that is not closed. */
function unquoted(written: string): string | undefined {
  const [, single] = /^'([^']*)'(?:\s+#.*)?$/.exec(written) ?? [];
  if (single !== undefined) return single;
  const [, double] = /^"((?:[^"\\]|\\.)*)"(?:\s+#.*)?$/.exec(written) ?? [];
  if (double !== undefined) return double.replace(/\\(["\\$`])/g, '$1');
  return /^['"]/.test(written) ? undefined : written.replace(/(?:^|\s+)#.*$/, '');
}
