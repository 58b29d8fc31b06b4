import { ExtractionError } from '../../document/extraction.errors';
import type { PageStart } from '../../document/extraction.types';
import type { Content, Source } from '../format-reader.types';
import { leftOut } from './left-out';
import { type OfficeParts, openOffice } from './office-archive';
import { partText, relationsOf } from './office-relations';
import { readDiagram, readNotes, readSlide, type Slide } from './pptx-slide';
import { allNamed, parseXml } from './office-xml';

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
