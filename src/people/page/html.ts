/** HTML that is safe to stand in a page. */
export interface Markup {
  markup: string;
}

type Part = string | number | Markup | undefined | readonly Part[];

/** Every text is escaped, unless it is markup already; undefined leaves nothing. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Markup => ({
  markup: texts.reduce((whole, text, index) => `${whole}${toHtml(parts[index - 1])}${text}`),
});

export const escapeHtml = (text: string): string =>
  text.replaceAll(misread, '\ufffd').replaceAll(/[&<>"']/g, char => entities[char]!);

/** Characters that turn the direction of a text let one file look like another. */
const misread = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function toHtml(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'string') return escapeHtml(part);
  if (typeof part === 'number') return String(part);
  return 'markup' in part ? part.markup : part.map(toHtml).join('');
}
