import { ExtractionError } from '../document/extraction.errors';
import type { Content, Source } from './format-reader.types';
import { shortTitle, sourceText } from './text';

/** Longest value on one line. */
const LINE_CHARS = 300;
const MOST_DEPTH = 200;
const INLINE_DEPTH = 8;

/** Numbers that lose precision as a double, such as long ids, become strings. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const exactNumbers = (text: string): string =>
  text.replace(TOKENS, (token) =>
    token.startsWith('"') || token.length < 16 || String(Number(token)) === token ? token : `"${token}"`,
  );

function parseJson(text: string): unknown {
  try {
    JSON.parse(text);
    return JSON.parse(exactNumbers(text));
  } catch (error) {
    throw new ExtractionError('document.malformed', 'The content is not valid JSON', { cause: error });
  }
}

type Parent = readonly unknown[] | Readonly<Record<string, unknown>>;
const isParent = (value: unknown): value is Parent => typeof value === 'object' && value !== null;

const NAME = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;
const step = (path: string, key: string, inArray: boolean): string => {
  if (inArray) return `${path}[${key}]`;
  const name = NAME.test(key) ? key : `[${JSON.stringify(key)}]`;
  return path === '' || name.startsWith('[') ? `${path}${name}` : `${path}.${name}`;
};

const labelled = (path: string, text: string): string => (path === '' ? text : `${path}: ${text}`);

function inlineLeaf(value: unknown, path: string, left: number): string | null {
  const text = leaf(value);
  const whole = labelled(path, text);
  return text.includes('\n') || whole.length > left ? null : whole;
}

/** `a: 1; b.c: 2`; null when it is too long or a value has several lines. */
function inline(value: unknown, path: string, left: number, depth = 0): string | null {
  if (depth > INLINE_DEPTH) return null;
  if (!isParent(value)) return inlineLeaf(value, path, left);
  const parts: string[] = [];
  for (const [key, child] of Object.entries(value)) {
    const part = inline(child, step(path, key, Array.isArray(value)), left, depth + 1);
    if (part === null) return null;
    parts.push(part);
    left -= part.length + 2;
    if (left < 0) return null;
  }
  return parts.length === 0 ? labelled(path, Array.isArray(value) ? '[]' : '{}') : parts.join('; ');
}

const leaf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const listed = (value: readonly unknown[], left: number): string | null => {
  if (value.some((item) => isParent(item) || leaf(item).includes('\n'))) return null;
  if (value.length === 0) return '[]';
  const text = value.map(leaf).join(', ');
  return text.length <= left ? text : null;
};

class JsonWriter {
  private readonly lines: string[] = [];

  write(value: unknown, path: string, depth: number): void {
    if (depth > MOST_DEPTH)
      throw new ExtractionError('document.malformed', `The values are nested deeper than ${MOST_DEPTH}`);
    if (!isParent(value)) return this.writeLeaf(value, path);
    const short = Array.isArray(value) ? listed(value, LINE_CHARS) : inline(value, '', LINE_CHARS);
    if (short !== null && depth > 0) {
      this.lines.push(`${path}: ${short}`);
      return;
    }
    for (const [key, child] of Object.entries(value)) {
      this.write(child, step(path, key, Array.isArray(value)), depth + 1);
      if (depth === 0) this.lines.push('');
    }
  }

  toString(): string {
    return this.lines.join('\n').trim();
  }

  /** Text of several lines (Markdown, code) stays unchanged on lines of its own. */
  private writeLeaf(value: unknown, path: string): void {
    const text = leaf(value);
    const label = path === '' ? '' : `${path}:`;
    if (text.includes('\n')) this.lines.push('', label, text, '');
    else this.lines.push(`${label}${label === '' ? '' : ' '}${text}`);
  }
}

/** One line per value with its path (`students[3].name: Ana`) or per small object; strings are not escaped. */
export function readJson(source: Source): Content {
  const { text: json, warnings } = sourceText(source);
  const value = parseJson(json);
  const writer = new JsonWriter();
  writer.write(value, '', 0);
  const text = writer.toString();
  if (text === '') throw new ExtractionError('document.empty', 'The file holds no values');
  const title = isParent(value) && !Array.isArray(value) ? (value as Record<string, unknown>)['title'] : null;
  return {
    text,
    title: typeof title === 'string' ? shortTitle(title.trim()) : null,
    pages: [],
    warnings,
  };
}
