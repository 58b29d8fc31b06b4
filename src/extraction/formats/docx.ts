import mammoth from 'mammoth';
import { ExtractionError } from '../extraction.errors';
import { htmlToMarkdown } from './html';
import type { Content, Source } from './format-reader.types';
import { checkArchive } from './docx-archive';
import { firstHeading } from './text';

const STYLES = [
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Subtitle'] => p:fresh",
  "p[style-name='HTML Preformatted'] => pre:separator('\\n')",
  "p[style-name='Code'] => pre:separator('\\n')",
  "p[style-name='Source Code'] => pre:separator('\\n')",
  "r[style-name='HTML Code'] => code",
  "r[style-name='Verbatim Char'] => code",
];

const EQUATION = /\bm:oMath/;
const EQUATIONS_LOST = 'Equations of the equation editor are left out; formulas written as LaTeX are kept';

export async function readDocx({ bytes, limits }: Source): Promise<Content> {
  await checkArchive(bytes, limits);
  const { value, messages } = await mammoth
    .convertToHtml(
      { buffer: bytes },
      {
        styleMap: STYLES,
        // Only the alternative text is kept; the picture itself is never unpacked.
        convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: '' })),
        externalFileAccess: false,
      },
    )
    .catch((error: unknown) => {
      throw new ExtractionError('document.malformed', 'The Word document is damaged and cannot be read', {
        cause: error,
      });
    });
  const { text } = htmlToMarkdown(value);
  if (text === '') throw new ExtractionError('document.no_text', 'The document holds no text');
  const lost = messages.some(({ message }) => EQUATION.test(message));
  return { text, title: firstHeading(text), pages: [], warnings: lost ? [EQUATIONS_LOST] : [] };
}
