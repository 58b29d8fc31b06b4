import mammoth from 'mammoth';
import { ExtractionError } from '../../document/extraction.errors';
import { withEquations } from './docx-equations';
import { hiddenStyles, withoutHidden } from './docx-hidden';
import { withListNumbers, withListStarts, wordLists } from './docx-lists';
import type { Content, Source } from '../format-reader.types';
import { htmlToMarkdown } from '../html';
import { leftOut } from './left-out';
import { type OfficeParts, openOffice } from './office-archive';
import { partText } from './office-relations';
import { titleOf } from '../text';

const DOCUMENT = 'word/document.xml';

/** A paragraph in Word's style for the title of a document. */
const TITLE = /<h1 class="title">[^]*?<\/h1>/;

type Input = Parameters<typeof mammoth.convertToHtml>[0];

const STYLES = [
  // A table of contents.
  ...['TOC Heading', ...Array.from({ length: 9 }, (_, index) => `toc ${index + 1}`)].map(
    (name) => `p[style-name='${name}'] => !`,
  ),
  "p[style-name='Title'] => h1.title:fresh",
  "p[style-name='Subtitle'] => p:fresh",
  "p[style-name='HTML Preformatted'] => pre:separator('\\n')",
  "p[style-name='Code'] => pre:separator('\\n')",
  "p[style-name='Source Code'] => pre:separator('\\n')",
  "r[style-name='HTML Code'] => code",
  "r[style-name='Verbatim Char'] => code",
];

/**
 * Mammoth accepts an unpacked document as `file`. Unpacking it here enforces the limits, converts the equations, numbers
 * the lists and leaves hidden text out.
 */
function inputOf(parts: OfficeParts): { readonly input: Input; readonly hasHidden: () => boolean } {
  const partNamed = (pattern: RegExp): string | undefined =>
    partText(parts, [...parts.keys()].find((name) => pattern.test(name)) ?? '');
  const styles = partNamed(/(?:^|\/)styles\d*\.xml$/);
  const lists = wordLists(partNamed(/(?:^|\/)numbering\d*\.xml$/), styles);
  let hidden = false;
  const read = (name: string): string => {
    const part = partText(parts, name);
    if (part === undefined) throw new Error('not a part that is read');
    const { xml, found } = withoutHidden(part, hiddenStyles(styles));
    hidden ||= found;
    return withEquations(xml.includes('<w:body') ? withListNumbers(xml, lists) : xml);
  };
  const file = {
    exists: (name: string) => parts.has(name),
    read: (name: string) => new Promise<string>((resolve) => resolve(read(name))),
  };
  return { input: { file } as unknown as Input, hasHidden: () => hidden };
}

/** @throws {ExtractionError} */
export async function readDocx({ bytes, limits }: Source): Promise<Content> {
  const parts = await openOffice(bytes, limits, 'Word document');
  const { input, hasHidden } = inputOf(parts);
  const { value: html } = await mammoth
    .convertToHtml(input, {
      styleMap: STYLES,
      // Keeps the alternative text only.
      convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: '' })),
      externalFileAccess: false,
    })
    .catch((error: unknown) => {
      throw new ExtractionError('document.malformed', 'The Word document is damaged and cannot be read', {
        cause: error,
      });
    });
  const value = withListStarts(html);
  const { text } = htmlToMarkdown(value);
  if (text === '') throw new ExtractionError('document.no_text', 'The document holds no text');
  const [written] = TITLE.exec(value) ?? [];
  const title = written === undefined ? titleOf(text) : titleOf(htmlToMarkdown(written).text);
  const warnings = [...(hasHidden() ? ['Hidden text is left out'] : []), ...leftOut(parts, DOCUMENT)];
  return { text, title, pages: [], warnings };
}
