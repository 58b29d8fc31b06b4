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
