import { deflateSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';

const CONTENT_TYPES =
  '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>';
const RELATIONSHIPS =
  '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>';

/** A Word document of one part, with `more` parts beside it. */
export const wordDocument = (documentXml: string, more: Record<string, string> = {}): Buffer =>
  Buffer.from(
    zipSync(
      Object.fromEntries(
        Object.entries({
          '[Content_Types].xml': CONTENT_TYPES,
          '_rels/.rels': RELATIONSHIPS,
          'word/document.xml': documentXml,
          ...more,
        }).map(([name, text]) => [name, strToU8(text)]),
      ),
      { level: 9 },
    ),
  );

export const wordBody = (inner: string, prolog = ''): string =>
  `<?xml version="1.0"?>${prolog}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${inner}</w:body></w:document>`;

export const wordParagraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

/** Other archives: the parts by name, nothing else. */
export const archive = (parts: Record<string, string>): Buffer =>
  Buffer.from(zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)]))));

/** A PDF of one page that draws `content`; `pages` is what it claims to have. */
export function rawPdf(content: Buffer, { pages = 1 } = {}): Buffer {
  const stream = deflateSync(content, { level: 9 });
  const head = [
    '%PDF-1.4',
    '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
    `2 0 obj<</Type/Pages/Kids[3 0 R]/Count ${pages}>>endobj`,
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj',
    '5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj',
    `4 0 obj<</Length ${stream.length}/Filter/FlateDecode>>stream\n`,
  ].join('\n');
  return Buffer.concat([Buffer.from(head), stream, Buffer.from('\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF')]);
}

/** A few hundred kilobytes that unpack to hundreds of megabytes of drawing instructions: keeps pdf.js busy and growing. */
export const pdfBomb = (megabytes = 200): Buffer => {
  const line = Buffer.from('BT /F1 12 Tf 10 10 Td (bomb) Tj ET\n'.repeat(1000));
  return rawPdf(Buffer.concat(Array<Buffer>(Math.ceil((megabytes * 1024 * 1024) / line.length)).fill(line)));
};

export interface DrawnPdf {
  /** Drawing instructions of each page. */
  readonly pages: readonly string[];
  /** Fonts by name; `F1` is Helvetica. */
  readonly fonts?: Readonly<Record<string, string>>;
  /** Annotations of the first page. */
  readonly annotations?: readonly string[];
  /** Entries of the catalogue, and of each page's resources. */
  readonly catalog?: string;
  readonly resources?: string;
  /** Other objects by number, from 100 on. */
  readonly objects?: Readonly<Record<number, string>>;
}

/** A PDF as it is written by hand: one object a line, without a table of their places. */
export function drawnPdf({
  pages,
  fonts = {},
  annotations = [],
  catalog = '',
  resources = '',
  objects = {},
}: DrawnPdf): Buffer {
  const fontList = Object.entries({ F1: HELVETICA, ...fonts })
    .map(([name, font]) => `/${name} ${font}`)
    .join('');
  const kids = pages.map((_, index) => `${10 + 2 * index} 0 R`).join(' ');
  const all: [number | string, string][] = [
    [1, `<</Type/Catalog/Pages 2 0 R${catalog}>>`],
    [2, `<</Type/Pages/Kids[${kids}]/Count ${pages.length}>>`],
    ...pages.flatMap((content, index): [number, string][] => [
      [
        10 + 2 * index,
        `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents ${11 + 2 * index} 0 R/Resources<</Font<<${fontList}>>${resources}>>${index === 0 ? `/Annots[${annotations.join(' ')}]` : ''}>>`,
      ],
      [11 + 2 * index, `<</Length ${content.length}>>stream\n${content}\nendstream`],
    ]),
    ...Object.entries(objects),
  ];
  const body = all.map(([number, object]) => `${number} 0 obj\n${object}\nendobj\n`).join('');
  return Buffer.from(`%PDF-1.7\n${body}trailer<</Root 1 0 R>>\n%%EOF`, 'latin1');
}

/** One word that is drawn 10^12 times, because each form draws the next one ten times: busy for hours, or until its memory is used up. */
export function endlessPdf(): Buffer {
  const form = (content: string, resources: string): string =>
    `<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<<${resources}>>/Length ${content.length}>>stream\n${content}\nendstream`;
  const forms = Array.from({ length: 12 }, (_, n): [number, string] => [
    100 + n,
    form('/F Do\n'.repeat(10), `/XObject<</F ${101 + n} 0 R>>`),
  ]);
  const word = form(drawn('word', 700), `/Font<</F1 ${HELVETICA}>>`);
  const objects = Object.fromEntries([...forms, [112, word]]);
  return drawnPdf({ pages: ['/F Do'], resources: '/XObject<</F 100 0 R>>', objects });
}

export const HELVETICA = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>';

/** A font of many characters that is not embedded: `map` names how its bytes become characters. */
export const cjkFont = (map: string, ordering: string): string =>
  `<</Type/Font/Subtype/Type0/BaseFont/Example/Encoding/${map}/DescendantFonts[<</Type/Font/Subtype/CIDFontType0/BaseFont/Example/CIDSystemInfo<</Registry(Adobe)/Ordering(${ordering})/Supplement 2>>/DW 1000/FontDescriptor<</Type/FontDescriptor/FontName/Example/Flags 4>>>>]>>`;

/** Instruction that draws a line of text. */
export const drawn = (text: string, y: number, font = 'F1', x = 60): string =>
  `BT /${font} 11 Tf ${x} ${y} Td ${text.startsWith('<') ? text : `(${text})`} Tj ET\n`;
