import { join, resolve } from 'node:path';
import { childOf, type Span } from '../../config/located.ts';
import type { Look } from '../../hooks/discovery/look.ts';
import type { Part } from './file.ts';
import { fillPrompt } from './fill-prompt.ts';

/** The text of a stage's prompt: the entry's own, else the loop's. Undefined where there is none, which is reported. */
export function promptOf(
  entry: Part | undefined,
  loop: Part | undefined,
  commands: Readonly<Record<string, string>>,
  look: Look,
): string | undefined {
  const part = [entry, loop].find(given => given?.settings.prompt !== undefined);
  const text = part ? writtenPrompt(part, part.settings.prompt!, look) : loop && defaultPrompt(loop, look);
  if (text === undefined) return undefined;
  const named = { ...commands, ...loop?.settings.commands, ...entry?.settings.commands };
  return withContext(text, entry?.settings.context ?? loop?.settings.context, named);
}

function writtenPrompt(part: Part, written: string, look: Look): string | undefined {
  const name = written.trim();
  if (/\s/.test(name)) return written;
  const named = name.endsWith('.md') ? [name] : [name, `${name}.md`];
  const candidates = [...named, ...named.map(file => join('prompts', file))];
  const span = childOf(part.node, 'prompt')!.span;
  return readFirst(part, candidates, span, look, `no prompt file "${name}"`);
}

function defaultPrompt(loop: Part, look: Look): string | undefined {
  const start = loop.node.span.start;
  return readFirst(loop, ['prompt.md', 'prompts/prompt.md'], { start, end: start }, look, 'no prompt');
}

function readFirst(part: Part, names: readonly string[], at: Span, look: Look, missing: string): string | undefined {
  const name = names.find(candidate => look.stat(resolve(part.folder, candidate))?.isFile());
  if (name === undefined) {
    part.report.error(at, missing, `make ${names.join(' or ')} beside this file, or write the text itself in prompt:`);
    return undefined;
  }
  const content = look.text(resolve(part.folder, name));
  if (content.kind === 'text' && content.text.trim() !== '') return content.text;
  const reason = content.kind === 'text' ? 'is empty' : content.kind === 'absent' ? 'is gone' : content.reason;
  part.report.error(at, `the prompt file ${name} ${reason}`);
  return undefined;
}

/** `context:` stands where the prompt says ${CONTEXT}, else at its end. */
function withContext(text: string, context: string | undefined, commands: Readonly<Record<string, string>>): string {
  const named = Object.entries(commands).map(([name, command]) => [`COMMANDS.${name}`, command]);
  const filled = fillPrompt(text, { ...Object.fromEntries(named), CONTEXT: context?.trimEnd() ?? '' });
  return context === undefined || text.includes('${CONTEXT}')
    ? filled
    : `${filled.trimEnd()}\n\n${context.trimEnd()}\n`;
}
