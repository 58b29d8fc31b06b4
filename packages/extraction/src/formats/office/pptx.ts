import { ExtractionError } from '../../document/extraction.errors';
import type { PageStart } from '../../document/extraction.types';
import type { Content, Source } from '../format-reader.types';
import { cellText, pipeTable } from '../table-rows';
import { withEquations } from './docx';
import { type OfficeParts, leftOut, openOffice, partText, relationsOf } from './office-archive';
import { type XmlElement, allNamed, childNamed, descend, elementsOf, parseXml, replaceElements } from './office-xml';

/** The text of one slide. */
interface Slide {
  readonly title: string | null;
  /** Paragraphs, lists and tables in the slide's order. */
  readonly blocks: readonly string[];
  readonly isHidden: boolean;
  /** Parts with the texts of diagrams (SmartArt), by relationship id. */
  readonly diagrams: readonly string[];
  readonly hasChart: boolean;
  /** True with shapes that are not shown. */
  readonly hasHidden: boolean;
}

const TITLES: ReadonlySet<string | undefined> = new Set(['title', 'ctrTitle']);
/** Placeholders that repeat on every slide. */
const REPEATED: ReadonlySet<string | undefined> = new Set(['dt', 'ftr', 'hdr', 'sldNum', 'sldImg']);
/** Properties of paragraphs and runs. */
const PROPERTIES: ReadonlySet<string> = new Set(['pPr', 'rPr', 'endParaRPr']);
/** Text at the beginning of a line that Markdown would read as a heading. */
const HEADING = /^(#{1,6}\s)/gm;
const MOST_LEVEL = 8;

function runText(element: XmlElement): string {
  if (element.name === 'br') return '\n';
  if (PROPERTIES.has(element.name)) return '';
  if (element.name === 't') return element.children.filter((child) => typeof child === 'string').join('');
  return elementsOf(element).map(runText).join('');
}

interface Paragraph {
  readonly text: string;
  readonly level: number;
  readonly isListed: boolean;
}

function paragraphsOf(body: XmlElement | undefined, listed: boolean): Paragraph[] {
  if (body === undefined) return [];
  return allNamed(body, 'p').flatMap((paragraph) => {
    const text = runText(paragraph).trim();
    if (text === '') return [];
    const properties = childNamed(paragraph, 'pPr');
    const level = Math.min(MOST_LEVEL, Number.parseInt(properties?.attributes['lvl'] ?? '0', 10) || 0);
    const hasBullet = ['buChar', 'buAutoNum', 'buBlip'].some((name) => childNamed(properties, name) !== undefined);
    const isListed = hasBullet || (listed && childNamed(properties, 'buNone') === undefined);
    return [{ text, level, isListed }];
  });
}

const lineOf = ({ text, level, isListed }: Paragraph): string =>
  isListed ? `${'  '.repeat(level)}- ${text.replaceAll('\n', ' ')}` : text.replace(HEADING, '\\$1');

/** Items of a list stand in lines, paragraphs apart. */
function blockOf(paragraphs: readonly Paragraph[]): string {
  return paragraphs
    .map((paragraph, index) => {
      const before = paragraphs[index - 1];
      const gap = before === undefined ? '' : before.isListed && paragraph.isListed ? '\n' : '\n\n';
      return gap + lineOf(paragraph);
    })
    .join('');
}

const tableOf = (table: XmlElement): string => {
  const rows = allNamed(table, 'tr').map((row) =>
    allNamed(row, 'tc').map((cell) => {
      const isCovered = cell.attributes['hMerge'] === '1' || cell.attributes['vMerge'] === '1';
      return isCovered
        ? ''
        : cellText(
            paragraphsOf(cell, false)
              .map(({ text }) => text)
              .join('\n'),
          );
    }),
  );
  return rows.some((row) => row.some((cell) => cell !== '')) ? pipeTable(rows) : '';
};

const placeholderOf = (shape: XmlElement): XmlElement | undefined => descend(shape, 'nvSpPr', 'nvPr', 'ph');

/** Whether an author hid a shape from the slide. */
const isHiddenShape = (shape: XmlElement): boolean =>
  elementsOf(shape).some(
    ({ name, children }) =>
      name.startsWith('nv') &&
      children.some((child) => typeof child !== 'string' && child.name === 'cNvPr' && isOn(child.attributes['hidden'])),
  );

const isOn = (value: string | undefined): boolean => value === '1' || value === 'true';

/** The shapes of a slide; groups and alternatives for newer versions are opened, hidden shapes left out. */
function shapesOf(tree: XmlElement, onHidden: () => void = () => undefined): XmlElement[] {
  return elementsOf(tree).flatMap((shape) => {
    if (isHiddenShape(shape)) {
      onHidden();
      return [];
    }
    if (shape.name === 'grpSp') return shapesOf(shape, onHidden);
    if (shape.name !== 'AlternateContent') return [shape];
    const chosen = childNamed(shape, 'Choice') ?? childNamed(shape, 'Fallback');
    return chosen === undefined ? [] : shapesOf(chosen, onHidden);
  });
}

const BODIES: ReadonlySet<string | undefined> = new Set([undefined, 'body', 'obj']);

function textShape(shape: XmlElement): string {
  const placeholder = placeholderOf(shape);
  const type = placeholder?.attributes['type'];
  if (TITLES.has(type) || REPEATED.has(type)) return '';
  return blockOf(paragraphsOf(childNamed(shape, 'txBody'), placeholder !== undefined && BODIES.has(type)));
}

function shapeBlock(shape: XmlElement): string {
  if (shape.name === 'sp') return textShape(shape);
  if (shape.name === 'graphicFrame') return allNamed(shape, 'tbl').map(tableOf).join('\n\n');
  return shape.name === 'pic' ? (descend(shape, 'nvPicPr', 'cNvPr')?.attributes['descr']?.trim() ?? '') : '';
}

const EQUATION = /<(m:oMath)(?:\s[^<>]*)?(?<!\/)>/g;
const RUN_PROPERTIES = /<(a:rPr)(?:\s[^<>]*)?(?<!\/)>/g;

/** Equations as LaTeX; what PowerPoint puts between their parts would hide these. */
const readable = (xml: string): string =>
  withEquations(
    replaceElements(
      xml,
      EQUATION,
      (name, inner) =>
        `<${name}>${replaceElements(inner, RUN_PROPERTIES, () => '').replace(/<\/?a:[^<>]*>/g, '')}</${name}>`,
    ),
  );

/** @throws {ExtractionError} `document.malformed` */
function readSlide(xml: string): Slide {
  const slide = childNamed(parseXml(readable(xml)), 'sld');
  const tree = slide === undefined ? undefined : descend(slide, 'cSld', 'spTree');
  let hasHidden = false;
  const shapes = tree === undefined ? [] : shapesOf(tree, () => void (hasHidden = true));
  const titles = shapes
    .filter((shape) => shape.name === 'sp' && TITLES.has(placeholderOf(shape)?.attributes['type']))
    .map((shape) => runText(shape).replace(/\s+/g, ' ').trim())
    .filter((title) => title !== '');
  const frames = shapes.filter(({ name }) => name === 'graphicFrame');
  return {
    title: titles[0] ?? null,
    blocks: shapes.map(shapeBlock).filter((block) => block !== ''),
    isHidden: slide?.attributes['show'] === '0',
    diagrams: frames.flatMap((frame) =>
      allNamed(frame, 'relIds').flatMap(({ attributes }) => attributes['r:dm'] ?? []),
    ),
    hasChart: frames.some((frame) => allNamed(frame, 'chart').length > 0),
    hasHidden,
  };
}

/** Texts of the shapes that lie on a sheet (ECMA-376-1 §20.5). @throws {ExtractionError} `document.malformed` */
export function readDrawing(xml: string): { readonly blocks: readonly string[]; readonly hasHidden: boolean } {
  let hasHidden = false;
  const drawing = childNamed(parseXml(readable(xml)), 'wsDr');
  const anchors = drawing === undefined ? [] : elementsOf(drawing);
  const shapes = anchors.flatMap((anchor) => shapesOf(anchor, () => void (hasHidden = true)));
  return { blocks: shapes.map(shapeBlock).filter((block) => block !== ''), hasHidden };
}

/** The speaker's notes of a slide. @throws {ExtractionError} `document.malformed` */
function readNotes(xml: string): string {
  const tree = descend(parseXml(readable(xml)), 'notes', 'cSld', 'spTree');
  const bodies = (tree === undefined ? [] : shapesOf(tree)).filter(
    (shape) => placeholderOf(shape)?.attributes['type'] === 'body',
  );
  return bodies.map((shape) => blockOf(paragraphsOf(childNamed(shape, 'txBody'), false))).join('\n\n');
}

/** The texts of a diagram as a list. @throws {ExtractionError} `document.malformed` */
const readDiagram = (xml: string): string =>
  blockOf(allNamed(parseXml(xml), 'pt').flatMap((point) => paragraphsOf(childNamed(point, 't'), true)));

const PRESENTATION = 'ppt/presentation.xml';

/** Names of the slides' parts in their order. */
function slideParts(parts: OfficeParts): readonly string[] {
  const xml = partText(parts, PRESENTATION);
  if (xml === undefined) {
    throw new ExtractionError('document.malformed', 'The presentation is damaged and cannot be read');
  }
  const targets = new Map(relationsOf(parts, PRESENTATION).map(({ id, target }) => [id, target]));
  return allNamed(parseXml(xml), 'sldId').flatMap(({ attributes }) => targets.get(attributes['r:id'] ?? '') ?? []);
}

/** The slide's text with a heading; empty for a slide without text. */
function sectionOf(parts: OfficeParts, part: string, slide: Slide, number: number): string {
  const relations = relationsOf(parts, part);
  const notesPart = relations.find(({ type }) => type === 'notesSlide')?.target;
  const notesXml = notesPart === undefined ? undefined : partText(parts, notesPart);
  const notes = notesXml === undefined ? '' : readNotes(notesXml);
  const diagrams = slide.diagrams.map((id) => {
    const xml = partText(parts, relations.find((relation) => relation.id === id)?.target ?? '');
    return xml === undefined ? '' : readDiagram(xml);
  });
  const blocks = [...slide.blocks, ...diagrams, notes === '' ? '' : `Notes: ${notes}`].filter((block) => block !== '');
  if (slide.title === null && blocks.length === 0) return '';
  return [`## ${slide.title ?? `Slide ${number}`}`, ...blocks].join('\n\n');
}

const listOf = (numbers: readonly number[]): string =>
  `${numbers.length === 1 ? 'Slide' : 'Slides'} ${numbers.slice(0, 20).join(', ')}${numbers.length > 20 ? ' …' : ''}`;

/**
 * A PowerPoint presentation (ECMA-376-1 §19): every slide a section with its title, text, tables, diagrams and notes.
 * @throws {ExtractionError}
 */
export async function readPptx({ bytes, limits }: Source): Promise<Content> {
  const parts = await openOffice(bytes, limits, 'presentation');
  const names = slideParts(parts);
  if (names.length > limits.maxPages) {
    const detail = `The presentation has ${names.length} slides; at most ${limits.maxPages} are read`;
    throw new ExtractionError('document.too_many_pages', detail);
  }
  const pages: PageStart[] = [];
  const sections: string[] = [];
  const hidden: number[] = [];
  const charts: number[] = [];
  const partly: number[] = [];
  let title: string | null = null;
  let start = 0;
  for (const [index, name] of names.entries()) {
    const xml = partText(parts, name);
    if (xml === undefined) continue;
    const slide = readSlide(xml);
    const page = index + 1;
    if (slide.isHidden) {
      hidden.push(page);
      continue;
    }
    if (slide.hasChart) charts.push(page);
    partly.push(...(slide.hasHidden ? [page] : []));
    const section = sectionOf(parts, name, slide, page);
    if (section === '') continue;
    title ??= slide.title;
    pages.push({ page, start });
    sections.push(section);
    start += section.length + SEPARATOR.length;
  }
  if (sections.length === 0) {
    throw new ExtractionError('document.no_text', 'The presentation holds no text; its slides may be pictures');
  }
  const told = (numbers: readonly number[], what: string): string[] =>
    numbers.length === 0 ? [] : [`${listOf(numbers)}: ${what}`];
  const warnings = [
    ...told(hidden, 'hidden, left out'),
    ...told(charts, 'charts are not read'),
    ...told(partly, 'hidden shapes are left out'),
    ...leftOut(parts, PRESENTATION),
  ];
  return { text: sections.join(SEPARATOR), title, pages, pageCount: names.length, warnings };
}

const SEPARATOR = '\n\n';
