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

/** A document's word is looked up among ours only, not among what every object has. */
const own = <Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

const valueOf = (xml: string, name: string): string | undefined =>
  new RegExp(`<m:${name} m:val="([^"]*)"`).exec(xml)?.[1];

/** What a structure's properties say about its look, as the first thing inside it; all other properties go. */
function sign(name: string, properties: string): string {
  const character = valueOf(properties, 'chr');
  if (name === 'nary') return `${own(SIGNS, character ?? '∫') ?? character} `;
  if (name === 'acc') return own(ACCENTS, character ?? '\u0302') ?? '';
  return '';
}

const group = (content: string): string => ([...content].length === 1 ? content : `{${content}}`);

/** LaTeX of each structure (ECMA-376-1 §22.1.2) whose parts are LaTeX already. */
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

const PROPERTIES = /<m:(\w+)Pr(?:\s[^>]*)?>([\s\S]*?)<\/m:\1Pr>/g;
const INNERMOST = /<m:(\w+)(?:\s[^>]*)?>([^<]*)<\/m:\1>/g;
/** Letters in mathematical italics and the like, which are the letters themselves to whoever searches. */
const MATHEMATICAL = /[\u{1d400}-\u{1d7ff}]/gu;

/** An equation of Word's editor as LaTeX; what has no rule is its text. */
function latexOf(equation: string): string {
  let xml = equation
    .replace(/<w:rPr>[\s\S]*?<\/w:rPr>/g, '')
    .replace(PROPERTIES, (_, name: string, inner: string) => sign(name, inner))
    .replace(/<[^>]*\/>|<\/?w:[^>]*>/g, '');
  for (let depth = 0; depth < MOST_DEPTH && xml.includes('<m:'); depth += 1) {
    xml = xml.replace(INNERMOST, (_, name: string, content: string) => own(STRUCTURES, name)?.(content) ?? content);
  }
  return xml
    .replace(/<[^>]*>/g, '')
    .replace(MATHEMATICAL, (letter) => letter.normalize('NFKC'))
    .trim();
}

const run = (latex: string): string => (latex === '' ? '' : `<w:r><w:t xml:space="preserve">$${latex}$</w:t></w:r>`);

/** A part of a Word document with its equations as text, `$\frac{a}{b}$`, which is all that mammoth reads. */
export function withEquations(part: string): string {
  if (!part.includes('<m:oMath')) return part;
  const xml = part
    .replace(/<m:oMathParaPr(?:\s[^>]*)?>[\s\S]*?<\/m:oMathParaPr>|<\/?m:oMathPara(?:\s[^>]*)?>/g, '')
    .replace(/<m:oMath\s[^>]*>/g, OPEN);
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
