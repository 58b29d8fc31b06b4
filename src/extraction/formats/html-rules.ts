import type TurndownService from 'turndown';
import { ancestor, attribute, type HtmlNode } from './html-node.types';
import { HtmlTables } from './html-tables';

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

export function markOf(node: HtmlNode): string {
  const kind = LEFT_OUT.findIndex(([applies]) => applies(node));
  return MARKS[kind] ?? '';
}

/** The text without marks, and the sentences that they stand for. */
export function withoutMarks(text: string): { readonly text: string; readonly leftOut: readonly string[] } {
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

export interface PageFacts {
  title: string | null;
  /** Text of each `<main>`. */
  readonly mains: string[];
}

/** Adds conversion rules. Turndown tries rules added later first. */
export function addRules(service: TurndownService, facts: PageFacts): void {
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
