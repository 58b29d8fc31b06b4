import mammoth from 'mammoth';
import { ExtractionError } from '../../document/extraction.errors';
import type { Content, Source } from '../format-reader.types';
import { htmlToMarkdown } from '../html';
import { titleOf } from '../text';
import { withListNumbers, withListStarts, wordLists } from './docx-lists';
import { type OfficeParts, leftOut, openOffice, partText } from './office-archive';
import { type XmlElement, allNamed, childNamed, parseXml, replaceElements, scanXml } from './office-xml';

const OPEN = '<m:oMath>';
const CLOSE = '</m:oMath>';
const MOST_DEPTH = 100;

const SIGNS: Readonly<Record<string, string>> = { '∑': '\\sum', '∏': '\\prod', '∫': '\\int', '∮': '\\oint' };
const ACCENTS: Readonly<Record<string, string>> = {
  '\u0302': '\\hat',
  '\u0303': '\\tilde',
  '\u0304': '\\bar',
  '\u0305': '\\bar',
  '\u0307': '\\dot',
  '\u0308': '\\ddot',
  '\u20d7': '\\vec',
};

/** Names from the document must not reach inherited members such as `constructor`. */
const own = <Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

const valueOf = (xml: string, name: string): string | undefined =>
  new RegExp(`<m:${name} m:val="([^"]*)"`).exec(xml)?.[1];

/** The operator or accent in the properties of a structure. Other properties are dropped. */
function sign(name: string, properties: string): string {
  const character = valueOf(properties, 'chr');
  if (name === 'nary') return `${own(SIGNS, character ?? '∫') ?? character} `;
  if (name === 'acc') return own(ACCENTS, character ?? '\u0302') ?? '';
  return '';
}

const group = (content: string): string => ([...content].length === 1 ? content : `{${content}}`);

/** LaTeX of a structure (ECMA-376-1 §22.1.2) from the LaTeX of its parts. */
const STRUCTURES: Readonly<Record<string, (content: string) => string>> = {
  e: group,
  num: (content) => `{${content}}`,
  den: (content) => `{${content}}`,
  sub: (content) => (content === '' ? '' : `_${group(content)}`),
  sup: (content) => (content === '' ? '' : `^${group(content)}`),
  lim: (content) => `_{${content}}`,
  deg: (content) => (content === '' ? '' : `[${content}]`),
  fName: (content) => (/^[a-z]{2,}$/.test(content) ? `\\${content} ` : content),
  f: (content) => `\\frac${content}`,
  rad: (content) => `\\sqrt${/^[{[]/.test(content) ? content : `{${content}}`}`,
  bar: (content) => `\\overline{${content}}`,
  d: (content) => `(${content})`,
  mr: (content) => `${content.replaceAll('}{', '} & {')} \\\\ `,
  m: (content) => `\\begin{matrix} ${content}\\end{matrix}`,
};

const RUN_PROPERTIES = /<(w:rPr)>/g;
const PROPERTIES = /<(m:\w+Pr)(?:\s[^<>]*)?(?<!\/)>/g;
const PARAGRAPH_PROPERTIES = /<(m:oMathParaPr)(?:\s[^<>]*)?(?<!\/)>/g;
const INNERMOST = /<m:(\w+)(?:\s[^<>]*)?>([^<]*)<\/m:\1>/g;
/** Letters in mathematical italics and the like. A search must find them as plain letters. */
const MATHEMATICAL = /[\u{1d400}-\u{1d7ff}]/gu;

/** Leaves an element out. */
const nothing = (): string => '';

/** LaTeX of a Word equation. Unknown structures become their text. */
function latexOf(equation: string): string {
  const plain = replaceElements(equation, RUN_PROPERTIES, nothing);
  let xml = replaceElements(plain, PROPERTIES, (name, inner) => sign(name.slice(2, -2), inner)).replace(
    /<[^<>]*\/>|<\/?w:[^<>]*>/g,
    '',
  );
  for (let depth = 0; depth < MOST_DEPTH && xml.includes('<m:'); depth += 1) {
    xml = xml.replace(INNERMOST, (_, name: string, content: string) => own(STRUCTURES, name)?.(content) ?? content);
  }
  return xml
    .replace(/<[^<>]*>/g, '')
    .replace(MATHEMATICAL, (letter) => letter.normalize('NFKC'))
    .trim();
}

const run = (latex: string): string => (latex === '' ? '' : `<w:r><w:t xml:space="preserve">$${latex}$</w:t></w:r>`);

/** Replaces the equations of a document part by text such as `$\frac{a}{b}$`, because mammoth ignores equations. */
export function withEquations(part: string): string {
  if (!part.includes('<m:oMath')) return part;
  const xml = replaceElements(part, PARAGRAPH_PROPERTIES, nothing)
    .replace(/<\/?m:oMathPara(?:\s[^<>]*)?>/g, '')
    .replace(/<m:oMath\s[^<>]*>/g, OPEN);
  const parts: string[] = [];
  let at = 0;
  for (let open = xml.indexOf(OPEN); open !== -1; open = xml.indexOf(OPEN, at)) {
    const close = xml.indexOf(CLOSE, open);
    if (close === -1) break;
    parts.push(xml.slice(at, open), run(latexOf(xml.slice(open + OPEN.length, close))));
    at = close + CLOSE.length;
  }
  return parts.join('') + xml.slice(at);
}

/** Ids of styles whose text is hidden (ECMA-376-1 §17.3.2.41). The default style of paragraphs has the id ''. */
type HiddenStyles = ReadonlySet<string>;

const isOn = (value: string | undefined): boolean => !['0', 'false', 'off'].includes(value ?? 'true');

/** Visibility that run properties state: true for hidden text; undefined when they leave it to styles. */
const hiddenIn = (properties: XmlElement | undefined): boolean | undefined => {
  const vanish = childNamed(properties, 'vanish');
  return vanish === undefined ? undefined : isOn(vanish.attributes['w:val']);
};

/** Visibility by the style, else by the nearest style that it is based on. */
function isHiddenStyle(style: XmlElement, byId: ReadonlyMap<string | undefined, XmlElement>): boolean {
  const seen = new Set<XmlElement>();
  let at: XmlElement | undefined = style;
  while (at !== undefined && !seen.has(at)) {
    const own = hiddenIn(childNamed(at, 'rPr'));
    if (own !== undefined) return own;
    seen.add(at);
    at = byId.get(childNamed(at, 'basedOn')?.attributes['w:val']);
  }
  return false;
}

/** @throws {ExtractionError} `document.malformed` */
function hiddenStyles(stylesXml: string | undefined): HiddenStyles {
  const hidden = new Set<string>();
  if (!stylesXml?.includes('vanish')) return hidden;
  const styles = allNamed(parseXml(stylesXml), 'style');
  const byId = new Map(styles.map((style) => [style.attributes['w:styleId'], style]));
  for (const style of styles.filter((each) => isHiddenStyle(each, byId))) {
    const { 'w:styleId': id = '', 'w:type': type, 'w:default': isDefault = '0' } = style.attributes;
    hidden.add(id);
    if (type === 'paragraph' && isOn(isDefault)) hidden.add('');
  }
  return hidden;
}

interface OpenRun {
  readonly start: number;
  direct: boolean | undefined;
  style: string | undefined;
  hasText: boolean;
  /** Parts of fields belong to runs that are not hidden. */
  hasField: boolean;
}

/** Texts, and what stands in their place. */
const TEXTS: ReadonlySet<string> = new Set(['t', 'delText', 'sym', 'tab', 'footnoteReference', 'endnoteReference']);
const FIELDS: ReadonlySet<string> = new Set(['fldChar', 'instrText']);

/** Finds the runs and table rows of a part that Word hides. */
class HiddenScan {
  /** Hidden ranges, ordered by their ends. */
  readonly found: [start: number, end: number][] = [];
  private readonly path: string[] = [];
  /** Styles of the open paragraphs, which text boxes nest. */
  private readonly paragraphs: string[] = [];
  private readonly rows: { readonly start: number; isHidden: boolean }[] = [];
  private readonly runs: OpenRun[] = [];

  constructor(private readonly styles: HiddenStyles) {}

  open(name: string, { 'w:val': value }: Readonly<Record<string, string>>, start: number): void {
    const parent = this.path.at(-1) ?? '';
    this.path.push(name);
    if (name === 'p') this.paragraphs.push('');
    else if (name === 'tr') this.rows.push({ start, isHidden: false });
    else if (name === 'r')
      this.runs.push({ start, direct: undefined, style: undefined, hasText: false, hasField: false });
    else if (name === 'pStyle') this.paragraphs.splice(-1, 1, value ?? '');
    else if (TEXTS.has(name)) for (const run of this.runs) run.hasText = true;
    else this.property(parent, name, value);
  }

  close(name: string, end: number): void {
    this.path.pop();
    if (name === 'r') {
      const run = this.runs.pop();
      if (run !== undefined && this.hides(run)) this.found.push([run.start, end]);
    } else if (name === 'tr') {
      const row = this.rows.pop();
      if (row?.isHidden === true) this.found.push([row.start, end]);
    } else if (name === 'p') this.paragraphs.pop();
  }

  private property(parent: string, name: string, value: string | undefined): void {
    const [run, row] = [this.runs.at(-1), this.rows.at(-1)];
    if (parent === 'trPr' && name === 'hidden' && row !== undefined) row.isHidden = isOn(value);
    if (run === undefined) return;
    if (FIELDS.has(name)) run.hasField = true;
    if (parent === 'rPr' && name === 'vanish') run.direct = isOn(value);
    if (parent === 'rPr' && name === 'rStyle') run.style = value;
  }

  /** Styles of a run and of its paragraph toggle each other (ECMA-376-1 §17.7.3). */
  private hides({ direct, style, hasText, hasField }: OpenRun): boolean {
    const byStyle = (style !== undefined && this.styles.has(style)) !== this.styles.has(this.paragraphs.at(-1) ?? '');
    return hasText && !hasField && (direct ?? byStyle);
  }
}

/** A part of a Word document without what Word hides. @throws {ExtractionError} */
function withoutHidden(part: string, styles: HiddenStyles): { readonly xml: string; readonly found: boolean } {
  const isConcerned = styles.size > 0 || part.includes('vanish') || part.includes(':hidden');
  if (!isConcerned) return { xml: part, found: false };
  const xml = part.replace(/^\ufeff/, '');
  const scan = new HiddenScan(styles);
  scanXml(xml, {
    open: (name, attributes, start) => scan.open(name, attributes, start),
    close: (name, end) => scan.close(name, end),
    text: () => undefined,
  });
  return { xml: withoutRanges(xml, scan.found), found: scan.found.length > 0 };
}

/** Ranges are in the order of their ends; a later one may contain earlier ones. */
function withoutRanges(text: string, ranges: readonly (readonly [from: number, to: number])[]): string {
  const kept: string[] = [];
  let end = text.length;
  for (const [from, to] of [...ranges].reverse()) {
    if (from >= end) continue;
    kept.push(text.slice(to, end));
    end = from;
  }
  return text.slice(0, end) + kept.reverse().join('');
}

const DOCUMENT = 'word/document.xml';

/** A paragraph in Word's style for the title of a document. */
const TITLE = /<h1 class="title">[^]*?<\/h1>/;

type Input = Parameters<typeof mammoth.convertToHtml>[0];

const STYLES = [
  // A table of contents.
  ...['TOC Heading', ...Array.from({ length: 9 }, (_, index) => `toc ${index + 1}`)].map(
    (name) => `p[style-name='${name}'] => !`,
  ),
  "p[style-name='Title'] => h1.title:fresh",
  "p[style-name='Subtitle'] => p:fresh",
  "p[style-name='HTML Preformatted'] => pre:separator('\\n')",
  "p[style-name='Code'] => pre:separator('\\n')",
  "p[style-name='Source Code'] => pre:separator('\\n')",
  "r[style-name='HTML Code'] => code",
  "r[style-name='Verbatim Char'] => code",
];

/**
 * Mammoth accepts an unpacked document as `file`. Unpacking it here enforces the limits, converts the equations, numbers
 * the lists and leaves hidden text out.
 */
function inputOf(parts: OfficeParts): { readonly input: Input; readonly hasHidden: () => boolean } {
  const partNamed = (pattern: RegExp): string | undefined =>
    partText(parts, [...parts.keys()].find((name) => pattern.test(name)) ?? '');
  const styles = partNamed(/(?:^|\/)styles\d*\.xml$/);
  const lists = wordLists(partNamed(/(?:^|\/)numbering\d*\.xml$/), styles);
  let hidden = false;
  const read = (name: string): string => {
    const part = partText(parts, name);
    if (part === undefined) throw new Error('not a part that is read');
    const { xml, found } = withoutHidden(part, hiddenStyles(styles));
    hidden ||= found;
    return withEquations(xml.includes('<w:body') ? withListNumbers(xml, lists) : xml);
  };
  const file = {
    exists: (name: string) => parts.has(name),
    read: (name: string) => new Promise<string>((resolve) => resolve(read(name))),
  };
  return { input: { file } as unknown as Input, hasHidden: () => hidden };
}

/** @throws {ExtractionError} */
export async function readDocx({ bytes, limits }: Source): Promise<Content> {
  const parts = await openOffice(bytes, limits, 'Word document');
  const { input, hasHidden } = inputOf(parts);
  const { value: html } = await mammoth
    .convertToHtml(input, {
      styleMap: STYLES,
      // Keeps the alternative text only.
      convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: '' })),
      externalFileAccess: false,
    })
    .catch((error: unknown) => {
      throw new ExtractionError('document.malformed', 'The Word document is damaged and cannot be read', {
        cause: error,
      });
    });
  const value = withListStarts(html);
  const { text } = htmlToMarkdown(value);
  if (text === '') throw new ExtractionError('document.no_text', 'The document holds no text');
  const [written] = TITLE.exec(value) ?? [];
  const title = written === undefined ? titleOf(text) : titleOf(htmlToMarkdown(written).text);
  const warnings = [...(hasHidden() ? ['Hidden text is left out'] : []), ...leftOut(parts, DOCUMENT)];
  return { text, title, pages: [], warnings };
}
