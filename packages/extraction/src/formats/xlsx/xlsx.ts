import { ExtractionError } from '../../document/extraction.errors';
import type { PageStart } from '../../document/extraction.types';
import type { Content, Source } from '../format-reader.types';
import { type OfficeParts, leftOut, openOffice, partText, relationsOf } from '../office/office-archive';
import { allNamed, parseXml, textBelow } from '../office/office-xml';
import { readDrawing } from '../office/pptx';
import { shortTitle } from '../text';
import { sheetCells, sheetText } from './sheet-text';
import { type SheetPart, WORKBOOK, readWorkbook } from './workbook';

const SEPARATOR = '\n\n';
const MOST_NAMED = 20;

const namesOf = (sheets: readonly Pick<SheetPart, 'name'>[]): string =>
  `${sheets.length === 1 ? 'Sheet' : 'Sheets'} ${sheets
    .slice(0, MOST_NAMED)
    .map(({ name }) => `“${name}”`)
    .join(', ')}${sheets.length > MOST_NAMED ? ' …' : ''}`;

const told = (sheets: readonly Pick<SheetPart, 'name'>[], what: string): string[] =>
  sheets.length === 0 ? [] : [`${namesOf(sheets)}: ${what}`];

function titleOf(core: string | undefined): string | null {
  if (core === undefined) return null;
  const [title] = allNamed(parseXml(core), 'title');
  return title === undefined ? null : shortTitle(textBelow(title));
}

/** Texts of the boxes and shapes on a sheet. */
function drawingOf(parts: OfficeParts, sheetPart: string): ReturnType<typeof readDrawing> {
  const drawing = relationsOf(parts, sheetPart).find(({ type }) => type === 'drawing');
  return readDrawing(drawing === undefined ? '<none/>' : (partText(parts, drawing.target) ?? '<none/>'));
}

/**
 * An Excel workbook (ECMA-376-1 §18): each visible sheet a section with its tables, values as they are displayed.
 * @throws {ExtractionError}
 */
export async function readXlsx({ bytes, limits }: Source): Promise<Content> {
  const parts = await openOffice(bytes, limits, 'workbook');
  const workbook = readWorkbook(parts);
  const { sheets } = workbook;
  if (sheets.length > limits.maxPages) {
    const detail = `The workbook has ${sheets.length} sheets; at most ${limits.maxPages} are read`;
    throw new ExtractionError('document.too_many_pages', detail);
  }
  const pages: PageStart[] = [];
  const sections: string[] = [];
  const partly: SheetPart[] = [];
  const uncomputed: SheetPart[] = [];
  let start = 0;
  for (const [index, sheet] of sheets.entries()) {
    if (sheet.isHidden || sheet.xml === undefined) continue;
    const cells = sheetCells(sheet.xml, workbook, limits.maxCharacters - start);
    if (cells.uncomputed > 0) uncomputed.push(sheet);
    const drawing = drawingOf(parts, sheet.part);
    if (cells.hasHidden || drawing.hasHidden) partly.push(sheet);
    const text = [sheetText(cells), ...drawing.blocks].filter((block) => block !== '').join(SEPARATOR);
    if (text === '') continue;
    const section = `## ${sheet.name}${SEPARATOR}${text}`;
    pages.push({ page: index + 1, start });
    sections.push(section);
    start += section.length + SEPARATOR.length;
  }
  if (sections.length === 0) throw new ExtractionError('document.no_text', 'The workbook holds no text');
  return {
    text: sections.join(SEPARATOR),
    title: titleOf(partText(parts, 'docProps/core.xml')),
    pages,
    pageCount: sheets.length,
    pageLabels: sheets.map(({ name }) => name),
    warnings: [
      ...told(
        sheets.filter(({ isHidden }) => isHidden),
        'hidden, left out',
      ),
      ...told(partly, 'hidden rows, columns or shapes are left out'),
      ...told(uncomputed, 'some formulas have no stored value; open the file in a spreadsheet program and save it'),
      ...leftOut(parts, WORKBOOK),
    ],
  };
}
