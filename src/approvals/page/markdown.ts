import MarkdownIt from 'markdown-it';
import { escapeHtml, type Markup } from './html.ts';

/** Markdown of agents and strangers: no HTML of its own, no pictures, and links only where a browser may go. */
export function renderMarkdown(text: string): Markup {
  return { markup: renderer.render(text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '\ufffd')) };
}

const renderer = createRenderer();

function createRenderer(): InstanceType<typeof MarkdownIt> {
  const made = new MarkdownIt({ html: false, linkify: false, typographer: false, maxNesting: 20 });
  // A picture from elsewhere would tell its server that the page was opened.
  made.disable('image');
  const { rules } = made.renderer;
  rules['link_open'] = (tokens, index, options, _, self) => {
    tokens[index]!.attrSet('rel', 'noreferrer noopener nofollow');
    return self.renderToken(tokens, index, options);
  };
  // The page has its own headings above these.
  rules['heading_open'] = (tokens, index) => `<h${lower(tokens[index]!.tag)} class="md">`;
  rules['heading_close'] = (tokens, index) => `</h${lower(tokens[index]!.tag)}>\n`;
  const codeBlock = (text: string): string =>
    `<pre tabindex="0" role="region" aria-label="Code">${escapeHtml(text)}</pre>\n`;
  rules['fence'] = (tokens, index) => codeBlock(tokens[index]!.content);
  rules['code_block'] = (tokens, index) => codeBlock(tokens[index]!.content);
  rules['table_open'] = () => '<div class="table" tabindex="0" role="region" aria-label="Table"><table>\n';
  rules['table_close'] = () => '</table></div>\n';
  return made;
}

const lower = (tag: string): number => Math.min(6, Number(tag.slice(1)) + 3);
