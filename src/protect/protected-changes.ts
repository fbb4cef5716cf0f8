import { posix } from 'node:path';
import { jsonValueAt } from '../config/json-values.ts';
import { type Change, changedBetween } from '../workspace/changed.ts';
import { type GitCall, git } from '../workspace/git.ts';
import { attributesPart, type Part, partName } from './parts.ts';

/** Two trees of one repository, and where in it the project is. */
export interface Compared {
  top: string;
  /** Of the project in the repository: empty, or with a slash at its end. */
  prefix: string;
  base: string;
  now: string;
  call?: GitCall;
}

/** A file of which something protected has changed. */
export interface ProtectedChange {
  change: Change;
  /** What of it, as `package.json#/scripts`, from the project's root. */
  names: readonly string[];
  /** The values that are protected; absent: all of the file is. */
  pointers?: readonly (readonly string[])[];
}

type Found = { kind: 'changes'; changes: readonly ProtectedChange[] } | { kind: 'failed'; why: string };

/** What of the protected files differs between two trees. */
export async function protectedChanges(compared: Compared, parts: readonly Part[]): Promise<Found> {
  const { top, prefix, base, now, call } = compared;
  const found = await changedBetween(top, base, now, call);
  if (found.kind === 'failed') return found;
  const inside = found.changes.filter(({ path }) => path.startsWith(prefix) || isAttributesAbove(path, prefix));
  if (inside.length === 0) return { kind: 'changes', changes: [] };
  const links = await linksIn(compared);
  if (links.kind === 'failed') return links;
  const changes: ProtectedChange[] = [];
  for (const change of inside) {
    const path = change.path.startsWith(prefix)
      ? change.path.slice(prefix.length)
      : posix.relative(prefix, change.path);
    const names = namesOf(path, links.links);
    const matching = parts.filter(part => names.some(name => part.matches(name)) || isLinkTo(part, change, path));
    const whole = matching.find(({ pointer }) => !pointer);
    if (whole) {
      changes.push({ change, names: [path] });
      continue;
    }
    const pointers = await changedPointers(matching, change, compared);
    if (pointers.length === 0) continue;
    changes.push({ change, names: pointers.map(pointer => partName(path, { pointer })), pointers });
  }
  return { kind: 'changes', changes };
}

/** They count in the folders below. */
const isAttributesAbove = (path: string, prefix: string): boolean =>
  attributesPart.matches(path) && prefix.startsWith(path.slice(0, -'.gitattributes'.length));

/** A link that leads to protected files decides which those are. */
const isLinkTo = ({ matches, pointer }: Part, { before }: Change, path: string): boolean =>
  !pointer && before?.mode === linkMode && matches(`${path}/x`);

const linkMode = '120000';

interface Link {
  path: string;
  target: string;
}

type Links = { kind: 'links'; links: readonly Link[] } | { kind: 'failed'; why: string };

/** The links of the base, from the project's root: what lies behind one is meant by its name, too. */
async function linksIn({ top, prefix, base, call }: Compared): Promise<Links> {
  const listed = await git(top, ['ls-tree', '-r', '-z', base], call);
  if (listed.kind !== 'done') return { kind: 'failed', why: listed.why };
  const links: Link[] = [];
  for (const row of listed.bytes.toString().split('\0')) {
    const [, mode, oid, path] = /^(\d{6}) \w+ ([0-9a-f]+)\t(.*)$/s.exec(row) ?? [];
    if (mode !== linkMode || oid === undefined || path === undefined || !path.startsWith(prefix)) continue;
    const target = await git(top, ['cat-file', 'blob', oid], call);
    if (target.kind !== 'done') return { kind: 'failed', why: target.why };
    const own = path.slice(prefix.length);
    links.push({ path: own, target: posix.join(posix.dirname(own), target.text) });
  }
  return { kind: 'links', links };
}

const namesOf = (path: string, links: readonly Link[]): string[] => [
  path,
  ...links.flatMap(({ path: link, target }) =>
    path === target || path.startsWith(`${target}/`) ? [link + path.slice(target.length)] : [],
  ),
];

async function changedPointers(
  parts: readonly Part[],
  { before, after }: Change,
  { top, call }: Compared,
): Promise<(readonly string[])[]> {
  const pointers = parts.flatMap(({ pointer }) => (pointer ? [pointer] : []));
  if (pointers.length === 0) return [];
  const [was, is] = [await blobText(top, before?.oid, call), await blobText(top, after?.oid, call)];
  return pointers.filter(pointer => {
    const [then, now] = [jsonValueAt(was, pointer), jsonValueAt(is, pointer)];
    // Of a file that is no JSON no one knows whether the part is the same.
    return then === 'broken' || then !== now;
  });
}

/** Empty where there is none. */
export async function blobText(top: string, oid: string | undefined, call: GitCall | undefined): Promise<string> {
  if (oid === undefined) return '';
  const answer = await git(top, ['cat-file', 'blob', oid], call);
  return answer.kind === 'done' ? answer.bytes.toString() : '';
}
