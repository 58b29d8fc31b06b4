import { replaceElements } from './office-xml';

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
