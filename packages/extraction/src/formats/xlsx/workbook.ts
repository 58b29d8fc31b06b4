import { ExtractionError } from '../../document/extraction.errors';
import { type OfficeParts, partText, relationsOf } from '../office/office-archive';
import { type XmlElement, allNamed, parseXml, scanXml } from '../office/office-xml';
import { type Calendar, builtInFormat } from './number-format';

export const WORKBOOK = 'xl/workbook.xml';
/** Longest text of one cell (the limit of Excel). */
export const CELL_CHARS = 32_767;

export interface SheetPart {
  readonly name: string;
  readonly isHidden: boolean;
  /** Undefined for a sheet that is only a chart. */
  readonly xml: string | undefined;
  /** Name of its part. */
  readonly part: string;
}

/** Sheets of a workbook, and the shared strings and formats that its cells refer to. */
export interface Workbook {
  readonly sheets: readonly SheetPart[];
  readonly strings: readonly string[];
  /** Number formats by the style of a cell. */
  readonly formats: readonly string[];
  readonly calendar: Calendar;
}

/** Texts of the table of shared strings; hints on how to pronounce them are left out. */
function sharedStrings(xml: string | undefined): string[] {
  const strings: string[] = [];
  if (xml === undefined) return strings;
  let parts: string[] = [];
  let inText = false;
  let hints = 0;
  scanXml(xml, {
    open: (name) => {
      if (name === 'si') parts = [];
      else if (name === 'rPh') hints += 1;
      inText = name === 't' && hints === 0;
    },
    close: (name) => {
      if (name === 'si') strings.push(parts.join('').slice(0, CELL_CHARS));
      else if (name === 'rPh') hints -= 1;
      inText = false;
    },
    text: (text) => void (inText && parts.push(text)),
  });
  return strings;
}

function cellFormats(xml: string | undefined): string[] {
  if (xml === undefined) return [];
  const styles = parseXml(xml);
  const own = new Map(
    allNamed(styles, 'numFmt').map(({ attributes }) => [
      Number(attributes['numFmtId']),
      attributes['formatCode'] ?? '',
    ]),
  );
  const [cells] = allNamed(styles, 'cellXfs');
  return (cells === undefined ? [] : allNamed(cells, 'xf')).map(({ attributes }) => {
    const id = Number(attributes['numFmtId'] ?? 0);
    return own.get(id) ?? builtInFormat(id);
  });
}

const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true';

const calendarOf = (workbook: XmlElement): Calendar =>
  allNamed(workbook, 'workbookPr').some(({ attributes }) => isTrue(attributes['date1904'])) ? 1904 : 1900;

/** The sheets in their order, and the tables that their cells refer to. @throws {ExtractionError} */
export function readWorkbook(parts: OfficeParts): Workbook {
  const xml = partText(parts, WORKBOOK);
  if (xml === undefined) {
    throw new ExtractionError('document.malformed', 'The workbook is damaged and cannot be read');
  }
  const workbook = parseXml(xml);
  const relations = relationsOf(parts, WORKBOOK);
  const sheetOf = (id: string | undefined): Pick<SheetPart, 'xml' | 'part'> => {
    const relation = relations.find((each) => each.id === id);
    const part = relation?.type === 'worksheet' ? relation.target : '';
    return { part, xml: partText(parts, part) };
  };
  const partOf = (type: string): string | undefined => {
    const target = relations.find((each) => each.type === type)?.target;
    return target === undefined ? undefined : partText(parts, target);
  };
  return {
    sheets: allNamed(workbook, 'sheet').map(({ attributes }) => ({
      name: (attributes['name'] ?? '').replace(/\s+/g, ' ').trim().slice(0, 100),
      isHidden: ['hidden', 'veryHidden'].includes(attributes['state'] ?? ''),
      ...sheetOf(attributes['r:id']),
    })),
    strings: sharedStrings(partOf('sharedStrings')),
    formats: cellFormats(partOf('styles')),
    calendar: calendarOf(workbook),
  };
}
