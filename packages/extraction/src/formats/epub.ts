import { posix } from 'node:path';
import { ExtractionError } from '../document/extraction.errors';
import type { Content, Source } from './format-reader.types';
import { type ReadPage, htmlToMarkdown } from './html';
import { type OfficeParts, openOffice, partText, resolvePart } from './office/office-archive';
import { type XmlElement, allNamed, descend, parseXml, textBelow } from './office/office-xml';
import { hasHeading, shortTitle, titleOf } from './text';

const PARTS = /\.(?:xml|opf|ncx|x?html?)$/i;
const CONTAINER = 'META-INF/container.xml';
const ENCRYPTION = 'META-INF/encryption.xml';
const PAGES: ReadonlySet<string | undefined> = new Set(['application/xhtml+xml', 'text/html']);
/** Pages of an EPUB 2 that only lead to others. */
const GUIDES: ReadonlySet<string | undefined> = new Set(['toc', 'cover', 'loi', 'lot', 'index']);
const SEPARATOR = '\n\n';

const damaged = (): ExtractionError =>
  new ExtractionError('document.malformed', 'The e-book is damaged and cannot be read');

/** Fonts may be scrambled; pages under a key cannot be read. */
function refuseEncrypted(parts: OfficeParts): void {
  const xml = partText(parts, ENCRYPTION);
  if (xml === undefined) return;
  const isPage = ({ attributes }: XmlElement): boolean => /\.(?:x?html?|opf)$/i.test(attributes['URI'] ?? '');
  if (!allNamed(parseXml(xml, 'skipped'), 'CipherReference').some(isPage)) return;
  throw new ExtractionError('document.encrypted', 'The e-book is protected against copying; its text cannot be read');
}

interface BookPage {
  readonly name: string;
  readonly isNavigation: boolean;
}

interface Book {
  readonly title: string | null;
  /** Pages in reading order. */
  readonly spine: readonly BookPage[];
  /** Parts with the table of contents. */
  readonly contents: readonly string[];
  /** Steps of the reading order that are no pages of text: pictures, PDF. */
  readonly unread: number;
}

/** The address of a part without its fragment, from the folder of another. */
function partNamed(folder: string, href: string): string {
  const [path = ''] = href.split('#', 1);
  try {
    return resolvePart(folder, decodeURIComponent(path));
  } catch {
    return resolvePart(folder, path);
  }
}

/** The package document (EPUB 3.3 §5). */
function bookOf(parts: OfficeParts): Book {
  const container = partText(parts, CONTAINER);
  const root = container === undefined ? undefined : allNamed(parseXml(container, 'skipped'), 'rootfile')[0];
  const path = root?.attributes['full-path'] ?? '';
  const xml = partText(parts, path);
  if (xml === undefined) throw damaged();
  const book = descend(parseXml(xml, 'skipped'), 'package');
  if (book === undefined) throw damaged();
  const folder = posix.dirname(path);
  const items = new Map(
    allNamed(book, 'item').map(({ attributes }) => [
      attributes['id'],
      {
        name: partNamed(folder, attributes['href'] ?? ''),
        type: attributes['media-type'],
        isNavigation: /(?:^|\s)nav(?:\s|$)/.test(attributes['properties'] ?? ''),
      },
    ]),
  );
  const guides = new Set(
    allNamed(book, 'reference').flatMap(({ attributes: { type, href } }) =>
      GUIDES.has(type) && href !== undefined && !href.includes('#') ? [partNamed(folder, href)] : [],
    ),
  );
  const [title] = allNamed(book, 'title');
  const steps = allNamed(book, 'itemref').flatMap(({ attributes }) => items.get(attributes['idref']) ?? []);
  return {
    unread: steps.filter(({ type }) => !PAGES.has(type)).length,
    title: title === undefined ? null : shortTitle(textBelow(title)),
    spine: steps.flatMap(({ name, type, isNavigation }) =>
      PAGES.has(type) ? [{ name, isNavigation: isNavigation || guides.has(name) }] : [],
    ),
    contents: [...items.values()]
      .filter(({ isNavigation, type }) => isNavigation || type === 'application/x-dtbncx+xml')
      .map(({ name }) => name),
  };
}

/** Titles of chapters by the part in which they begin, from the table of contents. */
function chapterTitles(parts: OfficeParts, { contents }: Book): ReadonlyMap<string, string> {
  const titles = new Map<string, string>();
  const add = (folder: string, href: string | undefined, title: string): void => {
    if (href === undefined || href.includes('#') || title === '') return;
    const name = partNamed(folder, href);
    if (!titles.has(name)) titles.set(name, title.slice(0, 200));
  };
  for (const name of contents) {
    const xml = partText(parts, name);
    if (xml === undefined) continue;
    const folder = posix.dirname(name);
    const tree = contentsTree(xml);
    for (const link of allNamed(tree, 'a')) add(folder, link.attributes['href'], textBelow(link));
    for (const point of allPoints(tree)) {
      const label = descend(point, 'navLabel', 'text');
      add(folder, descend(point, 'content')?.attributes['src'], label === undefined ? '' : textBelow(label));
    }
  }
  return titles;
}

/** A table of contents that is no XML has no titles. */
function contentsTree(xml: string): XmlElement {
  try {
    return parseXml(xml, 'skipped');
  } catch {
    return { name: '', attributes: {}, children: [] };
  }
}

/** Entries of an EPUB 2's table of contents, those below others included. */
const allPoints = (element: XmlElement): XmlElement[] =>
  allNamed(element, 'navPoint').flatMap((point) => [point, ...allPoints(point)]);

/** HTML has no empty `<title/>` or `<script/>`: the rest of the page would be its text. */
const withClosedTags = (xhtml: string): string =>
  xhtml.replace(/<(title|script|style|a|div|span|p|i|b|em)(\s[^<>]*)?\/>/gi, '<$1$2></$1>');

function chapterOf(xhtml: string, title: string | undefined): Pick<ReadPage, 'text' | 'leftOut'> {
  const { text, leftOut } = htmlToMarkdown(withClosedTags(xhtml));
  if (text === '' || title === undefined || hasHeading(text)) return { text, leftOut };
  return { text: `# ${title}${SEPARATOR}${text}`, leftOut };
}

/**
 * An e-book (EPUB 2 and 3): its pages in reading order, chapters as sections. Tables of contents are left out.
 * @throws {ExtractionError}
 */
export async function readEpub({ bytes, limits }: Source): Promise<Content> {
  const parts = await openOffice(bytes, limits, 'e-book', PARTS);
  refuseEncrypted(parts);
  const book = bookOf(parts);
  const titles = chapterTitles(parts, book);
  const chapters: string[] = [];
  const missing: string[] = [];
  const seen = new Set<string>();
  const leftOut = new Set<string>();
  let length = 0;
  for (const { name, isNavigation } of book.spine) {
    if (isNavigation || seen.has(name)) continue;
    seen.add(name);
    const xhtml = partText(parts, name);
    if (xhtml === undefined) {
      missing.push(name);
      continue;
    }
    const chapter = chapterOf(xhtml, titles.get(name));
    if (chapter.text !== '') chapters.push(chapter.text);
    chapter.leftOut.forEach((sentence) => leftOut.add(sentence));
    length += chapter.text.length;
    if (length > limits.maxCharacters) {
      const detail = `The document holds more than ${limits.maxCharacters} characters of text`;
      throw new ExtractionError('document.too_large', detail);
    }
  }
  if (chapters.length === 0) throw new ExtractionError('document.no_text', 'The e-book holds no text');
  const text = chapters.join(SEPARATOR);
  return {
    text,
    title: book.title ?? titleOf(text),
    pages: [],
    warnings: [
      ...(missing.length === 0 ? [] : [`Chapters that the file names but does not hold: ${missing.length}`]),
      ...(book.unread === 0 ? [] : [`Chapters that are pictures or other files, not read: ${book.unread}`]),
      ...leftOut,
    ],
  };
}
