import { strToU8, zipSync } from 'fflate';

const MAIN = 'http://schemas.openxmlformats.org';
const NAMESPACES = `xmlns:a="${MAIN}/drawingml/2006/main" xmlns:p="${MAIN}/presentationml/2006/main" xmlns:r="${MAIN}/officeDocument/2006/relationships" xmlns:m="${MAIN}/officeDocument/2006/math" xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main" xmlns:mc="${MAIN}/markup-compatibility/2006"`;
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';

interface SlideParts {
  /** Shapes of the slide: `title`, `body`, `table`, or XML of one's own. */
  readonly shapes: string;
  readonly notes?: string;
  readonly hidden?: boolean;
  /** Other relationships of the slide: part and type by id. */
  readonly relations?: Readonly<Record<string, readonly [target: string, type: string]>>;
}

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const run = (text: string): string =>
  `<a:r><a:rPr lang="en"><a:latin typeface="Arial"/></a:rPr><a:t>${escape(text)}</a:t></a:r>`;

/** `level` is drawn by the indentation of two spaces each. */
const paragraph = (line: string): string => {
  const level = (line.length - line.trimStart().length) / 2;
  return `<a:p>${level === 0 ? '' : `<a:pPr lvl="${level}"/>`}${run(line.trim())}<a:endParaRPr/></a:p>`;
};

const shape = (type: string, inner: string): string =>
  `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:cNvSpPr/><p:nvPr>${type}</p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>${inner}</p:txBody></p:sp>`;

export const title = (text: string): string => shape('<p:ph type="title"/>', paragraph(text));
export const body = (...lines: readonly string[]): string => shape('<p:ph idx="1"/>', lines.map(paragraph).join(''));
export const textBox = (text: string): string => shape('', paragraph(text));
export const footer = (text: string): string => shape('<p:ph type="ftr"/>', paragraph(text));
export const equation = (inner: string): string =>
  `<mc:AlternateContent><mc:Choice Requires="a14">${shape('', `<a:p><a14:m><m:oMath>${inner}</m:oMath></a14:m></a:p>`)}</mc:Choice><mc:Fallback>${textBox('no formula')}</mc:Fallback></mc:AlternateContent>`;
export const table = (rows: readonly (readonly string[])[]): string =>
  `<p:graphicFrame><a:graphic><a:graphicData><a:tbl>${rows
    .map((row) => `<a:tr>${row.map((cell) => `<a:tc><a:txBody>${paragraph(cell)}</a:txBody></a:tc>`).join('')}</a:tr>`)
    .join('')}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
export const picture = (description: string): string =>
  `<p:pic><p:nvPicPr><p:cNvPr id="4" name="x" descr="${escape(description)}"/></p:nvPicPr></p:pic>`;
export const diagram = (id: string): string =>
  `<p:graphicFrame><a:graphic><a:graphicData><dgm:relIds xmlns:dgm="${MAIN}/drawingml/2006/diagram" r:dm="${id}"/></a:graphicData></a:graphic></p:graphicFrame>`;
export const diagramPart = (...texts: readonly string[]): string =>
  `${XML}<dgm:dataModel xmlns:dgm="${MAIN}/drawingml/2006/diagram" xmlns:a="${MAIN}/drawingml/2006/main"><dgm:ptLst>${texts.map((text) => `<dgm:pt><dgm:t>${paragraph(text)}</dgm:t></dgm:pt>`).join('')}</dgm:ptLst></dgm:dataModel>`;

const relations = (entries: Readonly<Record<string, readonly [string, string]>>): string =>
  `${XML}<Relationships xmlns="${MAIN}/package/2006/relationships">${Object.entries(entries)
    .map(([id, [target, type]]) => `<Relationship Id="${id}" Type="${MAIN}/x/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

const withTree = (name: string, shapes: string, more = '', prolog = ''): string =>
  `${XML}${prolog}<p:${name} ${NAMESPACES}${more}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:${name}>`;

/** A PowerPoint file; its slides stand in the archive in the opposite order. */
export function presentation(
  slides: readonly SlideParts[],
  { prolog = '', more = {} }: { prolog?: string; more?: Readonly<Record<string, string>> } = {},
): Buffer {
  const numbers = slides.map((_, index) => index + 1);
  const parts: Record<string, string> = {
    '[Content_Types].xml': `${XML}<Types xmlns="${MAIN}/package/2006/content-types"/>`,
    'ppt/presentation.xml': `${XML}<p:presentation ${NAMESPACES}><p:sldIdLst>${numbers.map((n) => `<p:sldId id="${255 + n}" r:id="rId${n}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(
      Object.fromEntries(numbers.map((n) => [`rId${n}`, [`slides/slide${slides.length + 1 - n}.xml`, 'slide']])),
    ),
  };
  for (const [index, { shapes, notes, hidden, relations: others = {} }] of slides.entries()) {
    const n = slides.length - index;
    parts[`ppt/slides/slide${n}.xml`] = withTree('sld', shapes, hidden === true ? ' show="0"' : '', prolog);
    const noted: SlideParts['relations'] =
      notes === undefined ? {} : { rIdN: [`../notesSlides/notesSlide${n}.xml`, 'notesSlide'] };
    parts[`ppt/slides/_rels/slide${n}.xml.rels`] = relations({ ...noted, ...others });
    if (notes === undefined) continue;
    const spoken = shape('<p:ph type="body"/>', paragraph(notes)) + shape('<p:ph type="sldNum"/>', paragraph('7'));
    parts[`ppt/notesSlides/notesSlide${n}.xml`] = withTree('notes', spoken);
  }
  const all = Object.entries({ ...parts, ...more });
  return Buffer.from(zipSync(Object.fromEntries(all.map(([name, text]) => [name, strToU8(text)])), { level: 9 }));
}
