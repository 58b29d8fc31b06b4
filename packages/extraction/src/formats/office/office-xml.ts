import { parser } from 'sax';
import { ExtractionError } from '../../document/extraction.errors';

/** An element of a part: names without their prefix, attributes as written. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (XmlElement | string)[];
}

interface OpenElement extends XmlElement {
  readonly children: (XmlElement | string)[];
}

/** Limit of nesting, deeper than any real slide: recursive readers would overflow the stack. */
const MOST_DEPTH = 200;

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

const damaged = (cause?: unknown): ExtractionError =>
  new ExtractionError('document.malformed', 'The document is damaged and cannot be read', { cause });

export interface XmlScan {
  /** Called with the name without its prefix. `start` and `end` are where the tag begins and ends, without a byte order mark. */
  readonly open: (name: string, attributes: Readonly<Record<string, string>>, start: number) => void;
  readonly close: (name: string, end: number) => void;
  readonly text: (text: string) => void;
}

/**
 * Scans one part. A document type is refused, so no entity is ever defined (OPC, ECMA-376-2 §8.1.4). The parts of an
 * e-book may have one: it is skipped unread, and an entity that XML does not know is an error.
 * @throws {ExtractionError} `document.malformed`
 */
export function scanXml(xml: string, scan: XmlScan, doctype: 'refused' | 'skipped' = 'refused'): void {
  let depth = 0;
  const sax = parser(true);
  sax.onerror = (error) => {
    throw damaged(error);
  };
  sax.ondoctype = () => {
    if (doctype === 'refused') throw damaged();
  };
  sax.onopentag = ({ name, attributes }) => {
    if (depth >= MOST_DEPTH) throw damaged();
    depth += 1;
    scan.open(localName(name), attributes as Readonly<Record<string, string>>, sax.startTagPosition - 1);
  };
  sax.onclosetag = (name) => {
    depth -= 1;
    scan.close(localName(name), sax.position);
  };
  sax.ontext = sax.oncdata = scan.text;
  sax.write(xml.startsWith('\ufeff') ? xml.slice(1) : xml).close();
}

/** One part as a tree. @throws {ExtractionError} `document.malformed` */
export function parseXml(xml: string, doctype: 'refused' | 'skipped' = 'refused'): XmlElement {
  const top: OpenElement = { name: '', attributes: {}, children: [] };
  const open: OpenElement[] = [top];
  const scan: XmlScan = {
    open: (name, attributes) => {
      const element: OpenElement = { name, attributes, children: [] };
      open.at(-1)?.children.push(element);
      open.push(element);
    },
    close: () => void open.pop(),
    text: (text) => void open.at(-1)?.children.push(text),
  };
  scanXml(xml, scan, doctype);
  return top;
}

export const elementsOf = ({ children }: XmlElement): XmlElement[] =>
  children.filter((child) => typeof child !== 'string');

export const childNamed = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element === undefined ? undefined : elementsOf(element).find((child) => child.name === name);

/** The element at a path of names below; undefined when one is missing. */
export const descend = (element: XmlElement, ...path: readonly string[]): XmlElement | undefined =>
  path.reduce<XmlElement | undefined>(childNamed, element);

/** Every element below with a name, in document order; elements inside a match are not looked at. */
export function allNamed(element: XmlElement, name: string): XmlElement[] {
  return elementsOf(element).flatMap((child) => (child.name === name ? [child] : allNamed(child, name)));
}

/** All text below, as one line. */
export const textBelow = (element: XmlElement): string =>
  element.children
    .map((child) => (typeof child === 'string' ? child : textBelow(child)))
    .join('')
    .replace(/\s+/g, ' ')
    .trim();

/**
 * Replaces whole elements that begin as `open` says, which must not match an empty element: `<a/>` has no end of its own.
 * One without an end stays, and its end is not looked for again.
 */
export function replaceElements(xml: string, open: RegExp, replace: (name: string, inner: string) => string): string {
  const parts: string[] = [];
  const endless = new Set<string>();
  let at = 0;
  for (const { 0: tag, 1: name = '', index } of xml.matchAll(open)) {
    if (index < at || endless.has(name)) continue;
    const close = `</${name}>`;
    const end = xml.indexOf(close, index + tag.length);
    if (end === -1) {
      endless.add(name);
      continue;
    }
    parts.push(xml.slice(at, index), replace(name, xml.slice(index + tag.length, end)));
    at = end + close.length;
  }
  return parts.join('') + xml.slice(at);
}
