import { parser } from 'sax';
import { ExtractionError } from '../document/extraction.errors';

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
  new ExtractionError('document.malformed', 'The presentation is damaged and cannot be read', { cause });

/**
 * Parses one part. A document type is refused, so no entity is ever defined (OPC, ECMA-376-2 §8.1.4).
 * @throws {ExtractionError} `document.malformed`
 */
export function parseXml(xml: string): XmlElement {
  const top: OpenElement = { name: '', attributes: {}, children: [] };
  const open: OpenElement[] = [top];
  const sax = parser(true);
  sax.onerror = (error) => {
    throw damaged(error);
  };
  sax.ondoctype = () => {
    throw damaged();
  };
  sax.onopentag = ({ name, attributes }) => {
    if (open.length > MOST_DEPTH) throw damaged();
    const element: OpenElement = {
      name: localName(name),
      attributes: attributes as Readonly<Record<string, string>>,
      children: [],
    };
    open.at(-1)?.children.push(element);
    open.push(element);
  };
  sax.onclosetag = () => void open.pop();
  sax.ontext = sax.oncdata = (text) => void open.at(-1)?.children.push(text);
  sax.write(xml).close();
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
