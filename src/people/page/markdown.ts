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
  made.core.ruler.push('headings', ({ tokens }) => placeHeadings(tokens));
  const codeBlock = (text: string): string =>
    `<pre tabindex="0" role="region" aria-label="Code">${escapeHtml(text)}</pre>\n`;
  rules['fence'] = (tokens, index) => codeBlock(tokens[index]!.content);
  rules['code_block'] = (tokens, index) => codeBlock(tokens[index]!.content);
  rules['table_open'] = () => '<div class="table" tabindex="0" role="region" aria-label="Table"><table>\n';
  rules['table_close'] = () => '</table></div>\n';
  return made;
}

interface Heading {
  type: string;
  tag: string;
}

/** The page has its own headings above these, and no level may be left out: people find their way by them. */
function placeHeadings(tokens: readonly Heading[]): void {
  let level = 2;
  for (const token of tokens) {
    if (token.type === 'heading_open') level = Math.min(Number(token.tag.slice(1)) + 2, level + 1, 6);
    if (token.type === 'heading_open' || token.type === 'heading_close') token.tag = `h${level}`;
  }
}
