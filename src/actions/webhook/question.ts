import type { WebhookAction } from '../../model/index.ts';
import { fillText, type WriteValue } from './fill.ts';
import { createValues } from './values.ts';

/** What people are asked: the hook's own question, else the text of its body, else its title. It is journalled and shown, so it tells nothing secret. */
export function questionOf(
  { question, title, body }: WebhookAction,
  event: Readonly<Record<string, string>>,
): { question: string; title?: string } {
  const fill = (template: string): string => fillOpenly(template, event);
  const texts = [question, ...['text', 'question', 'title'].map(key => textIn(body, key))];
  const asked = texts.find(isSaid);
  if (asked === undefined && isSaid(title)) return { question: fill(title) };
  return {
    question: asked === undefined ? 'Approve?' : fill(asked),
    ...(title !== undefined && { title: fill(title) }),
  };
}

const isSaid = (text: string | undefined): text is string => text !== undefined && text.trim() !== '';

function textIn(body: unknown, key: string): string | undefined {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, key)) return undefined;
  const text = (body as Record<string, unknown>)[key];
  return typeof text === 'string' ? text : undefined;
}

/** Only the event's values; whatever the user keeps under another name stays hidden. */
function fillOpenly(template: string, event: Readonly<Record<string, string>>): string {
  const write: WriteValue = ({ text }, { name }) =>
    Object.hasOwn(event, name) && name !== 'CALLBACK_URL' ? text : '***';
  return fillText(template, createValues({ event, secrets: () => ({}), env: {} }), write);
}
