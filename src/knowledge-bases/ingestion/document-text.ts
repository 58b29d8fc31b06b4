import { decodeText, sniffType } from '../../files';
import { type Chunk, chunkText, type ChunkingOptions } from './chunking';
import { searchableText } from '../search/language';
import type { IndexedChunk } from '../search/chunk.types';

const TEXT_EXTENSION = /\.(md|markdown|txt)$/i;
const SECTION_SEPARATOR = ' › ';

/** Why a document cannot be taken in, in words for its owner. */
export class UnreadableDocument extends Error {}

export interface DocumentText {
  readonly text: string;
  /** First heading; null when there is none. */
  readonly title: string | null;
  readonly chunks: readonly IndexedChunk[];
}

const KINDS: Readonly<Record<string, string>> = {
  'application/pdf': 'a PDF',
  'application/zip': 'an archive or office document',
  'application/octet-stream': 'not UTF-8 text',
};

/** Decided by the bytes; the name only has to agree with them. */
function textOf(bytes: Buffer, filename: string): string {
  if (bytes.length === 0) throw new UnreadableDocument('The file is empty');
  const decoded = decodeText(bytes);
  if (!decoded.ok) {
    const type = sniffType(bytes, filename);
    throw new UnreadableDocument(`The content is ${KINDS[type] ?? type}; only UTF-8 text is read (.md, .txt)`);
  }
  if (!TEXT_EXTENSION.test(filename)) throw new UnreadableDocument('Only .md and .txt documents are read');
  if (decoded.text.trim() === '') throw new UnreadableDocument('The document holds no text');
  return decoded.text;
}

/** Headings count for every chunk below them, and twice where the chunk holds them: they say what it is about. */
const searchTextOf = ({ headings, text }: Chunk): string => searchableText([...headings, text].join('\n'));

/** Text, title and searchable chunks of uploaded bytes. Throws `UnreadableDocument`. */
export function readDocument(bytes: Buffer, filename: string, chunking: ChunkingOptions): DocumentText {
  const text = textOf(bytes, filename);
  const chunks = chunkText(text, chunking);
  return {
    text,
    title: chunks.find(({ headings }) => headings.length > 0)?.headings[0] ?? null,
    chunks: chunks.map((chunk) => ({
      start: chunk.start,
      end: chunk.end,
      section: chunk.headings.join(SECTION_SEPARATOR),
      text: chunk.text,
      searchText: searchTextOf(chunk),
      page: null,
      pageEnd: null,
      sectionStart: chunk.start,
      sectionEnd: chunk.end,
    })),
  };
}
