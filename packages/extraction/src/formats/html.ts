import TurndownService from 'turndown';
import { ExtractionError } from '../document/extraction.errors';
import type { Content, Source } from './format-reader.types';
import { cellText, pipeTable } from './table-rows';
import { shortTitle, sourceText, titleOf } from './text';

/** Subset of the DOM. The parser behind turndown has no types and may give undefined instead of null. */
interface HtmlNode {
  readonly nodeName: string;
  readonly textContent: string;
  readonly className: string;
  readonly parentNode: HtmlNode | null | undefined;
  readonly childNodes: ArrayLike<HtmlNode>;
  getAttribute(name: string): string | null;
  querySelector(selector: string): HtmlNode | null | undefined;
}

const childrenOf = (node: HtmlNode, ...names: readonly string[]): HtmlNode[] =>
  Array.from(node.childNodes).filter(({ nodeName }) => names.includes(nodeName));

/** Nearest ancestor with one of the names. */
function ancestor(node: HtmlNode, ...names: readonly string[]): HtmlNode | null {
  for (let at = node.parentNode; at; at = at.parentNode) if (names.includes(at.nodeName)) return at;
  return null;
}

const attribute = (node: HtmlNode, name: string): string => node.getAttribute(name)?.trim() ?? '';

const MOST_SPAN = 100;
const rowsOf = (table: HtmlNode): HtmlNode[] =>
  childrenOf(table, 'THEAD', 'TBODY', 'TFOOT', 'TR').flatMap((child) =>
    child.nodeName === 'TR' ? [child] : childrenOf(child, 'TR'),
  );

const spanOf = (cell: HtmlNode, name: string): number => {
  const span = Number.parseInt(attribute(cell, name), 10);
  return span > 1 ? Math.min(span, MOST_SPAN) : 1;
};

/** Cells by row and column. A `rowspan` repeats the cell, a `colspan` leaves the other columns empty. */
function gridOf(rows: readonly HtmlNode[], textOf: (cell: HtmlNode) => string): string[][] {
  const grid: string[][] = rows.map(() => []);
  rows.forEach((row, y) => {
    let x = 0;
    for (const cell of childrenOf(row, 'TD', 'TH')) {
      while (grid[y]?.[x] !== undefined) x += 1;
      const width = spanOf(cell, 'colspan');
      for (const line of grid.slice(y, y + spanOf(cell, 'rowspan'))) {
        for (let column = 0; column < width; column += 1) line[x + column] ??= column === 0 ? textOf(cell) : '';
      }
      x += width;
    }
  });
  return grid;
}

/** True when all text is in links: site navigation. */
const holdsLinksOnly = (table: HtmlNode): boolean => Boolean(table.querySelector('a')) && !hasOwnText(table);

const hasOwnText = (node: HtmlNode): boolean => {
  if (node.nodeName === '#text') return /[\p{L}\p{N}]/u.test(node.textContent);
  return node.nodeName !== 'A' && Array.from(node.childNodes).some(hasOwnText);
};

/** Tables of one document. Turndown converts cells before their table. */
class HtmlTables {
  private readonly texts = new WeakMap<HtmlNode, string>();
  private readonly layout = new WeakMap<HtmlNode, boolean>();

  cell(content: string, cell: HtmlNode): string {
    const table = ancestor(cell, 'TABLE');
    if (table === null || this.isLayout(table)) return `\n\n${content}\n\n`;
    this.texts.set(cell, cellText(content));
    return '';
  }

  table(content: string, table: HtmlNode): string {
    if (holdsLinksOnly(table)) return '';
    if (this.isLayout(table)) return `\n\n${content}\n\n`;
    const rows = rowsOf(table);
    const grid = gridOf(rows, (cell) => this.texts.get(cell) ?? '').filter((row) => row.some((text) => text));
    if (grid.length === 0) return '';
    const isNamed = rows[0] !== undefined && childrenOf(rows[0], 'TD', 'TH').every(({ nodeName }) => nodeName === 'TH');
    return `\n\n${content.trim()}\n\n${pipeTable(grid, isNamed || undefined)}\n\n`;
  }

  /** A layout table has nested tables or a single column. */
  private isLayout(table: HtmlNode): boolean {
    const known = this.layout.get(table);
    if (known !== undefined) return known;
    const rows = rowsOf(table);
    const layout = Boolean(table.querySelector('table')) || rows.every((row) => childrenOf(row, 'TD', 'TH').length < 2);
    this.layout.set(table, layout);
    return layout;
  }
}

type Filter = (node: HtmlNode) => boolean;
type Replacement = (content: string, node: HtmlNode) => string;

const named = (names: string): Filter => {
  const set = new Set(names.split(' '));
  return ({ nodeName }) => set.has(nodeName.toUpperCase());
};
const hasClass = (node: HtmlNode, pattern: RegExp): boolean => pattern.test(attribute(node, 'class'));

const isMedia = named('SCRIPT STYLE NOSCRIPT TEMPLATE IFRAME OBJECT EMBED SVG CANVAS AUDIO VIDEO MAP META LINK BASE');
const isControl = named('NAV BUTTON INPUT SELECT TEXTAREA DATALIST');
const isPageEdge = named('HEADER FOOTER');
const ROLES = new Set(['navigation', 'banner', 'contentinfo', 'search', 'menu', 'menubar', 'toolbar']);
/** A second rendering of a formula whose source is kept. */
const RENDERED = /(?:^|\s)(?:katex-html|MathJax(?:_Preview|_Display|_SVG|_CHTML)?|mwe-math-fallback-image-\w+)(?:\s|$)/;

const isHidden: Filter = (node) =>
  node.getAttribute('hidden') !== null || /display\s*:\s*none/i.test(attribute(node, 'style'));

/** Header, footer and navigation of the page, not of an article in it. */
const isPageEdgeOrNavigation: Filter = (node) =>
  (isPageEdge(node) && ancestor(node, 'ARTICLE', 'MAIN', 'SECTION', 'ASIDE', 'BLOCKQUOTE') === null) ||
  ROLES.has(attribute(node, 'role').toLowerCase());

const inMath = (node: HtmlNode): boolean => ancestor(node, 'MATH', 'math') !== null;

const isFurniture: Filter = (node) =>
  isMedia(node) || isControl(node) || isPageEdgeOrNavigation(node) || hasClass(node, RENDERED);

const isDropped: Filter = (node) => isFurniture(node) || (isHidden(node) && !inMath(node));

const isFrame = named('IFRAME OBJECT EMBED');
const holdsWords = (node: HtmlNode | null | undefined): boolean => /\p{L}{2}/u.test(node?.textContent ?? '');

/** Dropped elements that may hold words of the page. */
const LEFT_OUT: readonly (readonly [applies: Filter, sentence: string])[] = [
  [(node) => isFrame(node) && !isHidden(node), 'Other pages and files shown inside the page are not read'],
  [(node) => node.nodeName.toUpperCase() === 'SVG' && holdsWords(node.querySelector('text')), 'Drawings are not read'],
  [(node) => isHidden(node) && !isFurniture(node) && holdsWords(node), 'Hidden parts are left out'],
];
/** Noncharacters of Unicode stand in the text for what was dropped, so that whatever drops their surroundings drops them. */
const MARKS = LEFT_OUT.map((_, index) => String.fromCodePoint(0xfdd0 + index));
const ANY_MARK = /[\ufdd0-\ufdd2]/g;

function markOf(node: HtmlNode): string {
  const kind = LEFT_OUT.findIndex(([applies]) => applies(node));
  return MARKS[kind] ?? '';
}

/** The text without marks, and the sentences that they stand for. */
function withoutMarks(text: string): { readonly text: string; readonly leftOut: readonly string[] } {
  const found = new Set(text.match(ANY_MARK));
  const leftOut = LEFT_OUT.flatMap(([, sentence], index) => (found.has(MARKS[index] ?? '') ? [sentence] : []));
  return { text: found.size === 0 ? text : text.replace(ANY_MARK, ''), leftOut };
}

const formula = (tex: string, display: boolean): string => {
  if (tex === '') return '';
  return display ? `\n\n$$\n${tex}\n$$\n\n` : `$${tex}$`;
};

const TEX_SCRIPT = /^math\/tex/i;
const texScript: Replacement = (_, node) =>
  formula(node.textContent.trim(), /mode=display/i.test(attribute(node, 'type')));

const math: Replacement = (_, node) => {
  const source = node.querySelector('annotation[encoding="application/x-tex"]')?.textContent.trim();
  if (source === undefined) return node.textContent.replace(/\s+/g, ' ').trim();
  // Wikipedia wraps every formula in a style of its own.
  const tex = /^\{\\displaystyle\s([\s\S]*)\}$/.exec(source)?.[1]?.trim() ?? source;
  return formula(tex, attribute(node, 'display') === 'block');
};

/** Language of a code block by the classes of the element, its `code` or its wrapper. */
function languageOf(node: HtmlNode): string {
  const near = [node, node.querySelector('code'), ancestor(node, 'DIV', 'FIGURE')];
  const classes = near.map((at) => (at ? attribute(at, 'class') : '')).join(' ');
  return /(?:^|\s)(?:language|lang|highlight-source|highlight)-([\w+#-]+)/.exec(classes)?.[1] ?? '';
}

const longestRun = (text: string): number => Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));

const preformatted: Replacement = (_, node) => {
  const code = codeOf(node).replace(/^\n/, '').trimEnd();
  const fence = '`'.repeat(longestRun(code) + 1);
  return code === '' ? '' : `\n\n${fence}${languageOf(node)}\n${code}\n${fence}\n\n`;
};

/** Text of code, where `<br>` ends a line too. */
function codeOf(node: HtmlNode): string {
  if (node.nodeName === '#text') return node.textContent;
  if (node.nodeName === 'BR') return '\n';
  return Array.from(node.childNodes).map(codeOf).join('');
}

const link: Replacement = (content, node) => {
  const href = attribute(node, 'href');
  const text = content.trim();
  if (text.replace(ANY_MARK, '') === '') return text;
  if (/^[↑↩^#¶]+$/.test(text)) return '';
  if (!/^https?:\/\//i.test(href) || text === href || text.includes('\n') || href.length > 300) return content;
  return `[${text}](${href.replace(/[()\s]/g, encodeURIComponent)})`;
};

const image: Replacement = (_, node) => {
  const alt = attribute(node, 'alt').replace(/\s+/g, ' ');
  return hasClass(node, /(?:^|\s)(?:tex|latex|texrender)(?:\s|$)/)
    ? formula(alt.replace(/^\$+|(?<!\$)\$+$/g, ''), false)
    : alt;
};

const raised: Replacement = (content, node) =>
  content.length <= 3 && !node.querySelector('a') && content.trim() !== '' ? `^${content}` : content;

interface PageFacts {
  title: string | null;
  /** Text of each `<main>`. */
  readonly mains: string[];
}

/** Adds conversion rules. Turndown tries rules added later first. */
function addRules(service: TurndownService, facts: PageFacts): void {
  const tables = new HtmlTables();
  const rule = (name: string, filter: Filter, replacement: Replacement): void => {
    service.addRule(name, { filter: filter as never, replacement: replacement as never });
  };
  rule('link', named('A'), link);
  rule('image', named('IMG'), image);
  rule('raised', named('SUP'), raised);
  rule('preformatted', named('PRE'), preformatted);
  rule('cell', named('TD TH'), (content, node) => tables.cell(content, node));
  rule('row', named('TR THEAD TBODY TFOOT COLGROUP COL'), (content) => content);
  rule('table', named('TABLE'), (content, node) => tables.table(content, node));
  rule('main', named('MAIN'), (content) => {
    facts.mains.push(content);
    return `\n\n${content}\n\n`;
  });
  rule('dropped', isDropped, (_, node) => markOf(node));
  rule('tex', (node) => node.nodeName === 'SCRIPT' && TEX_SCRIPT.test(attribute(node, 'type')), texScript);
  rule('math', named('MATH'), math);
  rule('title', named('TITLE'), (_, node) => {
    // A drawing may have a title, too.
    if (ancestor(node, 'SVG', 'svg') === null) facts.title ??= node.textContent.replace(/\s+/g, ' ').trim();
    return '';
  });
}

/** A `<main>` with a smaller share of the text is not the whole content. */
const MAIN_SHARE = 0.5;

/** Only text that looks like a heading or a fence is escaped, so formulas and inline code stay unchanged. */
const AT_LINE_START = /^(#{1,6}(?=\s)|`{3}|~{3})/;

/** Turndown takes quadratic time over a long run of blanks; no page needs one. */
const LONG_BLANK =
  /(?:\s|&(?:nbsp|e[mn]sp|thinsp|tab|newline|#0*(?:9|10|13|32|160|819\d|820[0-2]|12288)|#x0*(?:9|a|d|20|a0|200[\da]|3000));){200,}/gi;
const SHORT_BLANK = ' '.repeat(200);

export interface ReadPage {
  readonly text: string;
  readonly title: string | null;
  /** Sentences about words of the page that are missing from the text. */
  readonly leftOut: readonly string[];
}

/** Markdown of an HTML page; nothing is fetched, no script runs. */
export function htmlToMarkdown(html: string): ReadPage {
  const facts: PageFacts = { title: null, mains: [] };
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    br: '',
    blankReplacement: (_, node) => {
      const { isBlock } = node as unknown as { readonly isBlock: boolean };
      return markOf(node as never) || (isBlock ? '\n\n' : '');
    },
  });
  service.escape = (text) => text.replace(AT_LINE_START, '\\$1');
  addRules(service, facts);
  const whole = service.turndown(html.replace(LONG_BLANK, SHORT_BLANK));
  const [main = ''] = facts.mains;
  const chosen = facts.mains.length === 1 && main.length >= MAIN_SHARE * whole.length ? main : whole;
  const { text, leftOut } = withoutMarks(chosen);
  return { text: tidy(text), title: facts.title === null ? null : shortTitle(facts.title), leftOut };
}

const tidy = (text: string): string =>
  text
    .replaceAll('\u00a0', ' ')
    .replace(/\n[ \t\n]*\n/g, '\n\n')
    .trim();

export function readHtml(source: Source): Content {
  const { text: html, warnings } = sourceText(source);
  const { text, title, leftOut } = htmlToMarkdown(html);
  if (text === '')
    throw new ExtractionError(
      'document.no_text',
      'The page holds no text. Content that a script loads is not part of the file',
    );
  return { text, title: title ?? titleOf(text), pages: [], warnings: [...warnings, ...leftOut] };
}
