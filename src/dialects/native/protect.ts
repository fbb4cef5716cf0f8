import { childOf, itemsOf, type Located } from '../../config/located.ts';
import type { Report } from '../../config/report.ts';
import { either, filled, list, oneOf, record, type ValueOf } from '../../config/shape.ts';
import { type Protect, readProtectedPath, sharedFlaw } from '../../model/protect.ts';

const files = { ...list(filled()), nonEmpty: true } as const;

/** `protect:` of a file. */
export const protectShape = {
  ...either([
    files,
    record(
      {
        files: { ...files, doc: 'Paths and globs, or a part of a JSON file: package.json#/scripts' } as const,
        // biome-ignore lint/suspicious/noThenProperty: it is a key of the file format
        then: oneOf(['refuse', 'ask'], 'ask: a check that passes only with the change is put to a person'),
        share: list(filled(), 'Folders that the clean worktree has in common with the project, as in node_modules'),
      },
      { required: ['files'], closed: true },
    ),
  ]),
  doc: 'Files that decide about the work: a check has to pass with them as they were when the task began, too',
} as const;

export function toProtect(written: ValueOf<typeof protectShape>): Protect {
  if (Array.isArray(written)) return { files: written, share: [] };
  return { files: written.files, share: written.share ?? [], ...(written.then === 'ask' && { asks: true }) };
}

/** Each thing that is protected, where it is written. */
export function protectedNodes(root: Located | undefined): { text: string; node: Located }[] {
  const node = childOf(root, 'protect');
  return textsOf(node?.kind === 'list' ? node : childOf(node, 'files'));
}

const textsOf = (node: Located | undefined): { text: string; node: Located }[] =>
  itemsOf(node).flatMap(item =>
    item.kind === 'scalar' && typeof item.value === 'string' && item.value !== ''
      ? [{ text: item.value, node: item }]
      : [],
  );

/** What is wrong with paths whose form is a text. */
export function tellProtectFlaws(root: Located | undefined, report: Report): void {
  for (const { text, node } of protectedNodes(root)) {
    const read = readProtectedPath(text);
    if (read.kind === 'flaw') report.error(node.span, read.message, read.hint);
  }
  for (const { text, node } of textsOf(childOf(childOf(root, 'protect'), 'share'))) {
    const flaw = sharedFlaw(text);
    if (flaw) report.error(node.span, flaw.message, flaw.hint);
  }
}
