import DOMPurify, { type Config } from 'dompurify';
import { Lexer, Marked, type TokensList } from 'marked';
import { type AnswerToken, GrowingBlocks, type Lex, type PlainToken } from './growing-blocks';
import { isTameAddress } from './tame-address';

/** One block of an answer: what it says, and what decides whether it must be drawn again. */
export interface Block {
  readonly key: string;
  readonly token: AnswerToken;
  readonly headingLevel: number;
}

/** No paragraph is longer (`plainParts`). */
const REACH = 20_000;
const FIRST_HEADING = 3;
const LAST_HEADING = 6;
const CITATION = /^\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\](?![([:])/;
const MATHS = /^\$\$([\s\S]{1,4000}?)\$\$|^\\\[([\s\S]{1,4000}?)\\\]/;
// A dollar before a space, or one followed by a digit behind it, is money.
const INLINE_MATHS = /^\$(?![\s$])((?:\\[\s\S]|[^\\$\n]){1,2000}?)(?<![\s\\])\$(?!\d)|^\\\(([\s\S]{1,2000}?)\\\)/;

interface MathsToken {
  readonly type: 'maths' | 'inlineMaths';
  readonly raw: string;
  readonly tex: string;
  readonly display: boolean;
}

const BARE_TAG = /^<\/?(?:br|hr|b|i|u|s|em|strong|del|ins|sub|sup|mark|kbd|details|summary) ?\/?>$/i;

const escaped = (text: string): string => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

const mathsHtml = (token: object): string => {
  const { tex, display } = token as MathsToken;
  return `<span data-tex="${escaped(tex)}"${display ? ' data-display=""' : ''}>${escaped(tex)}</span>`;
};

function mathsToken(type: MathsToken['type'], match: RegExpExecArray | null, display: boolean): MathsToken | undefined {
  const tex = match?.[1] ?? match?.[2];
  if (match === null || tex === undefined || tex.trim() === '') return undefined;
  return { type, raw: match[0], tex: tex.trim(), display };
}

/** Level of the block that is being drawn; 0 where headings are none of the page. */
let headingLevel = 0;

const marked = new Marked({
  gfm: true,
  async: false,
  extensions: [
    {
      name: 'maths',
      level: 'block',
      // Asked at every paragraph: without a limit, reading would take the square of the length.
      start: (source) => source.slice(0, REACH).match(/\$\$|\\\[/)?.index,
      tokenizer: (source) => mathsToken('maths', MATHS.exec(source), true),
      renderer: (token) => `<p>${mathsHtml(token)}</p>\n`,
    },
    {
      name: 'inlineMaths',
      level: 'inline',
      start: (source) => source.match(/\$|\\[([]/)?.index,
      tokenizer: (source) =>
        mathsToken('inlineMaths', MATHS.exec(source), true) ??
        mathsToken('inlineMaths', INLINE_MATHS.exec(source), false),
      renderer: mathsHtml,
    },
    {
      name: 'citation',
      level: 'inline',
      start: (source) => source.match(/\[\d/)?.index,
      tokenizer(source) {
        const match = CITATION.exec(source);
        if (match?.[1] === undefined) return undefined;
        return { type: 'citation', raw: match[0], numbers: match[1].split(/[,;]/).map((n) => n.trim()) };
      },
      renderer: (token) =>
        (token as unknown as { numbers: string[] }).numbers.map((n) => `<span data-cite="${n}">[${n}]</span>`).join(''),
    },
  ],
  renderer: {
    heading({ tokens }) {
      const text = this.parser.parseInline(tokens);
      // Inside a list or a quotation it is no heading of the page.
      return headingLevel === 0
        ? `<p><strong>${text}</strong></p>\n`
        : `<h${headingLevel}>${text}</h${headingLevel}>\n`;
    },
    // Tags are text but for a few bare ones: what never reaches the parser can do nothing there.
    html: ({ text }) => text.replace(/<[^>]*>?/g, (tag) => (BARE_TAG.test(tag) ? tag : escaped(tag))),
    // Pictures from elsewhere would tell their server who reads this answer, and what it says in the address.
    image({ href, text }) {
      const own = isOwnPicture(href);
      const label = escaped(text === '' ? href : text);
      return own ? `<img src="${escaped(href)}" alt="${label}">` : `<a href="${escaped(href)}">${label}</a>`;
    },
    checkbox: ({ checked }) => (checked ? '[x] ' : '[ ] '),
  },
});

/** Files of this service, and pictures that hold their own bytes. */
function isOwnPicture(href: string): boolean {
  if (/^data:image\/(?:png|jpeg|gif|webp);base64,[\w+/=]+$/.test(href)) return true;
  const url = URL.parse(href, location.origin);
  return url !== null && url.origin === location.origin && url.pathname.startsWith('/api/v1/');
}

const RULES: Config = {
  ALLOWED_TAGS: (
    'p br hr strong em b i u s del ins sub sup mark kbd code pre blockquote ul ol li dl dt dd a span img ' +
    'h3 h4 h5 h6 table thead tbody tfoot tr th td caption details summary'
  ).split(' '),
  ALLOWED_ATTR: ['href', 'src', 'alt', 'align', 'start', 'colspan', 'rowspan', 'data-tex', 'data-display', 'data-cite'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
};

/** Links lead out in a tab of their own, to web pages and places of this service; other schemes become text. */
function tameLink(link: Element): void {
  const href = link.getAttribute('href') ?? '';
  if (!isTameAddress(href)) {
    link.removeAttribute('href');
    return;
  }
  link.setAttribute('target', '_blank');
  link.setAttribute('rel', 'noopener noreferrer nofollow');
}

/** Tokens with their inline parts; labels of links are shared between the readings of one text. */
export const lexMarkdown: Lex = (text, links) => {
  const lexer = new Lexer(marked.defaults);
  lexer.tokens.links = links as TokensList['links'];
  return lexer.lex(text);
};

/** Markdown cut into blocks. */
export const blocksOf = (text: string): readonly Block[] => blocksOfTokens(new GrowingBlocks(lexMarkdown).of(text));

export function blocksOfTokens(tokens: readonly AnswerToken[]): readonly Block[] {
  const above: { raw: number; level: number }[] = [];
  return tokens
    .filter(({ type }) => type !== 'space')
    .map((token) => {
      if (token.type !== 'heading' || isPlain(token)) return { key: token.raw, token, headingLevel: 0 };
      const raw = token.depth as number;
      while ((above.at(-1)?.raw ?? -1) >= raw) above.pop();
      // One below the heading that it stands under: levels that a model skips would be holes for screen readers.
      const level = Math.min((above.at(-1)?.level ?? FIRST_HEADING - 1) + 1, LAST_HEADING);
      above.push({ raw, level });
      return { key: `${level} ${token.raw}`, token, headingLevel: level };
    });
}

/** The block as elements without anything that runs, loads from elsewhere, or takes part in a form. */
export function elementsOf(block: Block): DocumentFragment {
  try {
    return drawnElements(block);
  } catch {
    // Nested deeper than the stack allows.
    return plainElements(block.token.raw);
  }
}

function plainElements(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  const paragraph = document.createElement('p');
  paragraph.className = 'plain';
  paragraph.textContent = text;
  fragment.append(paragraph);
  return fragment;
}

function drawnElements({ token, headingLevel: level }: Block): DocumentFragment {
  if (isPlain(token)) return plainElements(token.raw);
  headingLevel = level;
  const fragment = DOMPurify.sanitize(marked.parser([token]), RULES) as unknown as DocumentFragment;
  for (const link of fragment.querySelectorAll('a')) tameLink(link);
  for (const image of fragment.querySelectorAll('img')) {
    if (!isOwnPicture(image.getAttribute('src') ?? '')) image.remove();
  }
  for (const wide of fragment.querySelectorAll('table, pre')) makeScrollable(wide);
  return fragment;
}

const isPlain = (token: AnswerToken): token is PlainToken => token.type === 'plain';

/** Wide things scroll in a box of their own, which the keyboard reaches. */
function makeScrollable(element: Element): void {
  if (element.tagName === 'PRE') {
    element.setAttribute('tabindex', '0');
    return;
  }
  const box = document.createElement('div');
  box.className = 'table-box';
  box.tabIndex = 0;
  element.replaceWith(box);
  box.append(element);
}
