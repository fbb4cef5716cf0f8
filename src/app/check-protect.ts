import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '../config/json.ts';
import { createReport } from '../config/report.ts';
import { parseYaml } from '../config/yaml.ts';
import { protectedNodes } from '../dialects/native/protect.ts';
import { nativeFiles } from '../hooks/discovery/find-files.ts';
import type { Look } from '../hooks/discovery/look.ts';
import type { Places, Problem } from '../model/index.ts';
import { readProtectedPath } from '../model/protect.ts';
import { namesIn } from '../platform/files.ts';
import { partsOf } from '../protect/parts.ts';
import { isInRepository, whyUnseen } from '../workspace/repository.ts';

/** What is wrong with `protect:` of the project's file that only the disk tells: no repository, a pointer into what is no JSON. */
export function protectProblems(places: Places, look: Look): readonly Problem[] {
  const own = nativeFiles(places, look).find(({ file }) => !file.startsWith('/'));
  if (!own) return [];
  const parsed = parseYaml(own.text);
  const nodes = protectedNodes(parsed.kind === 'parsed' ? parsed.root : undefined);
  const first = nodes[0]?.node;
  if (!first) return [];
  const report = createReport(own.file, own.text, true);
  if (!isInRepository(places.root))
    report.error(
      first.span,
      'protect needs a git repository: without one no one knows how the files were',
      'run git init, or remove protect:',
    );
  for (const { text, node } of nodes) {
    const read = readProtectedPath(text);
    if (read.kind !== 'path') continue;
    const unseen = whyUnprotected(places.root, read.path);
    if (unseen !== undefined)
      report.error(node.span, `${unseen}, so no one can tell how it was`, 'let this repository hold it, or remove it');
    if (!read.pointer) continue;
    for (const path of filesMatching(places.root, read.path, look)) {
      const flaw = jsonFlaw(join(places.root, path), look);
      if (flaw !== undefined)
        report.error(node.span, `${path} ${flaw}`, `protect all of it: write "${read.path}" without #`);
    }
  }
  return report.problems;
}

/** Why git does not know the files of a path; undefined where it may. */
export function whyUnprotected(root: string, path: string): string | undefined {
  const whole = plainPart(path);
  const why = whole === '' ? undefined : whyUnseen(root, whole);
  return why && `${whole} ${why}`;
}

/** The folder or file that all matching paths begin with. */
const plainPart = (path: string): string =>
  path
    .split('/')
    .slice(0, path.split('/').findIndex(name => /[*?[{\\]/.test(name)) >>> 0)
    .join('/');

/** A file that is not there yet may become one. */
function jsonFlaw(path: string, look: Look): string | undefined {
  const content = look.text(path);
  if (content.kind === 'absent') return undefined;
  if (content.kind !== 'text') return `cannot be read: ${content.reason}`;
  const parsed = parseJson(content.text);
  return parsed.kind === 'broken' ? `is not JSON: ${parsed.flaws[0]?.message ?? ''}` : undefined;
}

const maxLooked = 5000;

function filesMatching(root: string, path: string, look: Look): string[] {
  if (!/[*?[{\\]/.test(path)) return look.stat(join(root, path))?.isFile() ? [path] : [];
  const [part] = partsOf([path]);
  const found: string[] = [];
  let looked = 0;
  const visit = (folder: string): void => {
    for (const name of namesIn(join(root, folder))) {
      const inside = folder === '' ? name : `${folder}/${name}`;
      looked += 1;
      if (looked > maxLooked || name === '.git' || name === 'node_modules') continue;
      const stats = lstatSync(join(root, inside), { throwIfNoEntry: false });
      if (stats?.isDirectory()) visit(inside);
      else if (stats?.isFile() && part?.matches(inside)) found.push(inside);
    }
  };
  visit('');
  return found;
}
