import type { ProjectTrust, TrustChange } from '../../app/trust.ts';
import type { HookDefinition } from '../../model/index.ts';
import type { Mask } from '../../model/mask.ts';
import { counted, trustStateWords } from '../../model/words.ts';
import { actionWords, failureWords, matchWords, nameWords } from './hooks.ts';
import type { Colours } from './paint.ts';
import { flat } from './text.ts';

/** What hides secrets, and what colours text. */
export interface Printing {
  mask: Mask;
  colours: Colours;
}

/** Everything that trust would let run. Foreign text stands behind a bar, so that no line of it can look like ours. */
export function hooksText({ hooks, pinned, status, places }: ProjectTrust, shown: Printing): string {
  const { colours } = shown;
  const files = [...status.files].filter(([file]) => Object.hasOwn(pinned.files, file));
  const root = flat(places.root);
  const head =
    hooks.length === 0
      ? `No hook of ${root} would run on its own.\n`
      : `${counted(hooks.length, 'hook')} of ${root} would run on ${hooks.length === 1 ? 'its' : 'their'} own, with your rights:\n`;
  const parts = files.map(([file, state]) => {
    const lines = hooks.filter(({ source }) => source.file === file).flatMap(hook => hookLines(hook, shown));
    const { scripts, settings, unpinned = [] } = pinned.contents[file]!;
    return [
      '',
      `${colours.bold(flat(file))}  ${trustStateWords[state]}`,
      ...lines,
      ...Object.entries(settings)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => `  setting ${flat(name)}: ${flat(shown.mask(String(value)))}`),
      ...Object.entries(scripts).map(([name, script]) => `  script ${flat(name)}  ${colours.dim(scriptWords(script))}`),
      ...unpinned.map(word => colours.yellow(`  runs something that cannot be checked: ${flat(shown.mask(word))}`)),
    ];
  });
  const gone = [...status.files].filter(([, state]) => state === 'removed');
  const tail = gone.map(([file]) => `\n${colours.yellow(`${flat(file)} was trusted and has no hooks any more.`)}\n`);
  const doubt = status.doubt === undefined ? '' : `\n${colours.yellow(flat(status.doubt))}\n`;
  const body = parts.flat().map(line => `${line}\n`);
  return `${head}${body.join('')}${tail.join('')}${doubt}\n`;
}

/** What a pin says of a script: its mode and its hash, or why there is none. */
function scriptWords(script: string): string {
  const [mode, content = ''] = script.split(' ');
  if (mode === 'large') return 'too large to be read: any write to it counts as a change';
  if (mode === 'unreadable') return `cannot be read (${flat(content)})`;
  return `${mode === 'executable' ? 'executable, ' : ''}sha256 ${content.slice(0, 12)}`;
}

function hookLines(hook: HookDefinition, { mask, colours }: Printing): string[] {
  const { event, source, action } = hook;
  const facts = [...matchWords(hook), failureWords(hook)].filter(word => word !== '').map(word => flat(mask(word)));
  const command = mask(action.kind === 'shell' ? action.command : actionWords(hook));
  return [
    `  ${[event, flat(mask(nameWords(hook)))].filter(Boolean).join('  ')}  ${colours.dim(flat(`${source.file}:${source.line}`))}  ${facts.join(', ')}`,
    ...command.split(/\r\n|[\n\r\u2028\u2029]/).map(line => `    | ${wholeLine(line)}`),
  ];
}

/** Nothing is cut or folded: what is not seen is not agreed to. */
const wholeLine = (line: string): string => line.replaceAll(unseen, '\ufffd');

const unseen = /(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;

type Difference = (name: string, before: string | undefined, after: string) => string;

/** What differs between what was trusted and what there is now. */
export async function changesText(
  changes: readonly TrustChange[] | 'not-kept',
  { mask, colours }: Printing,
): Promise<string> {
  if (changes === 'not-kept') return 'What was trusted before was not kept, so the changes cannot be shown.\n\n';
  // It takes long to load.
  const { unifiedDiff } = await import('./diff.ts');
  const differenceOf: Difference = (name, was, is) => {
    if (was === is) return '';
    const [old, young] = [was && mask(was), mask(is)];
    return old === young ? `${name}: a secret in it has changed\n` : unifiedDiff(name, old, young);
  };
  const texts = changes
    .map(change => changeText(change, flat(change.file), mask, differenceOf))
    .filter(text => text !== '');
  const lines = texts.flatMap(text => text.trimEnd().split(/\r\n|[\n\r\u2028\u2029]/));
  return lines.length === 0
    ? ''
    : `What has changed since you trusted them:\n\n${lines.map(line => painted(line, colours)).join('\n')}\n\n`;
}

function changeText(change: TrustChange, name: string, mask: Mask, differenceOf: Difference): string {
  switch (change.kind) {
    case 'file-gone': {
      const lines = change.hooks.map(hook => `-  ${flat(hook.event)}  ${flat(mask(hook.name))}\n`);
      return lines.length === 0 ? `${name}: its settings are gone\n` : `${name} no longer runs:\n${lines.join('')}`;
    }
    case 'hooks':
      return differenceOf(`${name} (hooks)`, change.before, change.after);
    case 'script-gone':
      return `${name} is gone, or no hook names it any more\n`;
    case 'script': {
      const { isNew, nowExecutable, content } = change;
      const mode =
        nowExecutable === undefined ? '' : `${name} is ${nowExecutable ? 'executable now' : 'no longer executable'}\n`;
      if (content === undefined) return mode;
      const { before, after } = content;
      if (after === undefined || (before === undefined && !isNew))
        return `${mode}${name} ${isNew ? 'is new' : 'has changed'}; it is not text, so it cannot be shown\n`;
      return mode + differenceOf(name, before, after);
    }
  }
}

function painted(line: string, { red, cyan }: Colours): string {
  const text = `  ${wholeLine(line)}`;
  if (line.startsWith('-')) return red(text);
  return line.startsWith('+') ? cyan(text) : text;
}

export function statusText({ status, hash, isTrusted, broken }: ProjectTrust): string {
  const wrong = [...new Set(broken.map(({ at }) => at.file))].map(
    file => `  ${flat(file)}: has errors, see hookloop check`,
  );
  const files = [...status.files].map(([file, state]) => `  ${flat(file)}: ${trustStateWords[state]}`);
  const none = files.length === 0 && wrong.length === 0;
  const head = isTrusted
    ? none
      ? 'There are no hooks here that need trust.'
      : 'Trusted.'
    : 'Not trusted as they are now.';
  const why = status.doubt ?? status.remark;
  const { remedy } = status;
  const way =
    remedy === undefined ? 'To look at them and accept them: hookloop trust' : `Do this first: ${flat(remedy)}`;
  return [
    head,
    ...files,
    ...wrong,
    ...(why === undefined ? [] : [`  ${flat(why)}`]),
    ...(isTrusted || wrong.length > 0 ? [] : [way]),
    `HOOKLOOP_TRUST=${hash}`,
    '',
  ].join('\n');
}

/** What a person is asked, and told before and after. */
export const trustWords = ({ status: { files } }: ProjectTrust) =>
  files.size > 0 && [...files.values()].every(state => state === 'removed')
    ? {
        question: 'Accept that these hooks are gone?',
        agree: 'To accept that they are gone',
        done: 'Accepted: no hook of this project needs trust now.',
      }
    : {
        question: 'Let agents run these hooks in this project?',
        agree: 'To trust these hooks',
        done: 'Trusted. After any change to them, or to the scripts they name, you are asked again.',
      };

/** A contract with scripts. */
export function statusJson({ status, hash, broken, pinned, isTrusted }: ProjectTrust, mask: Mask): unknown {
  const states = new Map<string, string>(status.files);
  for (const { at } of broken) states.set(at.file, 'broken');
  const unpinned = Object.entries(pinned.contents).flatMap(([file, { unpinned: words = [] }]) =>
    words.map(word => ({ file, word: mask(word) })),
  );
  return {
    trusted: isTrusted,
    hash,
    files: [...states].map(([file, state]) => ({ file, state: isTrusted ? 'trusted' : state })),
    ...(status.doubt && { why: status.doubt }),
    ...(status.remark && { remark: status.remark }),
    ...(unpinned.length > 0 && { unpinned }),
  };
}
