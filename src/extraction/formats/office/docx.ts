import mammoth from 'mammoth';
import { ExtractionError } from '../../document/extraction.errors';
import { withEquations } from './docx-equations';
import type { Content, Source } from '../format-reader.types';
import { htmlToMarkdown } from '../html';
import { type OfficeParts, openOffice } from './office-archive';
import { firstHeading } from '../text';

type Input = Parameters<typeof mammoth.convertToHtml>[0];

const STYLES = [
  // A table of contents.
  ...['TOC Heading', ...Array.from({ length: 9 }, (_, index) => `toc ${index + 1}`)].map(
    (name) => `p[style-name='${name}'] => !`,
  ),
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Subtitle'] => p:fresh",
  "p[style-name='HTML Preformatted'] => pre:separator('\\n')",
  "p[style-name='Code'] => pre:separator('\\n')",
  "p[style-name='Source Code'] => pre:separator('\\n')",
  "r[style-name='HTML Code'] => code",
  "r[style-name='Verbatim Char'] => code",
];

/** Mammoth accepts an unpacked document as `file`. Unpacking it here enforces the limits and converts the equations. */
const inputOf = (parts: OfficeParts): Input =>
  ({
    file: {
      exists: (name: string) => parts.has(name),
      read: (name: string) => {
        const part = parts.get(name);
        return part === undefined
          ? Promise.reject(new Error('not a part that is read'))
          : Promise.resolve(withEquations(part.toString('utf8')));
      },
    },
  }) as unknown as Input;

/** @throws {ExtractionError} */
export async function readDocx({ bytes, limits }: Source): Promise<Content> {
  const parts = await openOffice(bytes, limits, 'Word document');
  const { value } = await mammoth
    .convertToHtml(inputOf(parts), {
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
  const { text } = htmlToMarkdown(value);
  if (text === '') throw new ExtractionError('document.no_text', 'The document holds no text');
  return { text, title: firstHeading(text), pages: [], warnings: [] };
}
