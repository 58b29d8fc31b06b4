import { strToU8, zipSync } from 'fflate';

/** A ZIP file of parts by name, well compressed. */
export const zipped = (parts: Readonly<Record<string, string>>): Buffer =>
  Buffer.from(
    zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])), { level: 9 }),
  );

const MAIN = 'http://schemas.openxmlformats.org';

export interface WorkbookParts {
  /** XML of each sheet's `sheetData` and what follows it, by the sheet's attributes: `name="Grades"`. */
  readonly sheets: Readonly<Record<string, string>>;
  readonly strings?: string;
  readonly styles?: string;
  readonly prolog?: string;
  /** Other parts. */
  readonly more?: Readonly<Record<string, string>>;
}

/** An Excel workbook; its sheets stand in the archive in the opposite order. */
export function workbook({ sheets, strings = '', styles = '', prolog = '', more = {} }: WorkbookParts): Buffer {
  const all = Object.entries(sheets);
  const file = (index: number): string => `worksheets/sheet${all.length - index}.xml`;
  const relation = (id: string, type: string, target: string): string =>
    `<Relationship Id="${id}" Type="${MAIN}/officeDocument/2006/relationships/${type}" Target="${target}"/>`;
  return zipped({
    '[Content_Types].xml': `<Types xmlns="${MAIN}/package/2006/content-types"/>`,
    'xl/workbook.xml': `<workbook xmlns:r="x"><sheets>${all.map(([attributes], index) => `<sheet ${attributes} sheetId="${index + 1}" r:id="s${index}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${all.map((_, index) => relation(`s${index}`, 'worksheet', file(index))).join('')}${relation('t', 'sharedStrings', 'sharedStrings.xml')}${relation('f', 'styles', 'styles.xml')}</Relationships>`,
    'xl/sharedStrings.xml': `<sst>${strings}</sst>`,
    'xl/styles.xml': `<styleSheet>${styles}</styleSheet>`,
    ...Object.fromEntries(all.map(([, xml], index) => [`xl/${file(index)}`, `${prolog}<worksheet>${xml}</worksheet>`])),
    ...more,
  });
}

/** An EPUB of pages by name in the order of the spine; `more` are parts beside them. */
export function book(
  pages: Readonly<Record<string, string>>,
  {
    items = '',
    guide = '',
    more = {},
  }: { items?: string; guide?: string; more?: Readonly<Record<string, string>> } = {},
): Buffer {
  const names = Object.keys(pages);
  return zipped({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml':
      '<container><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    'OEBPS/book.opf': `<package><metadata xmlns:dc="d"><dc:title>Water and salt</dc:title></metadata><manifest>${names.map((name, index) => `<item id="i${index}" href="${name}" media-type="application/xhtml+xml"/>`).join('')}${items}</manifest><spine>${names.map((_, index) => `<itemref idref="i${index}"/>`).join('')}<itemref idref="nav"/></spine>${guide}</package>`,
    ...Object.fromEntries(Object.entries(pages).map(([name, html]) => [`OEBPS/${name}`, html])),
    ...more,
  });
}
