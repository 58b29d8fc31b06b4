import { posix } from 'node:path';
import type { Entry, ZipFile } from 'yauzl';
import { ExtractionError } from '../../document/extraction.errors';
import type { ExtractionLimits } from '../../document/extraction.types';
import { MOST_ENTRIES, entriesOf, openZip } from '../../document/zip-listing';
import { allNamed, parseXml, scanXml } from './office-xml';

/** Parts that readers leave out, and the sentence for the owner. */
const LEFT_OUT: readonly (readonly [parts: RegExp, sentence: string])[] = [
  [/\/(?:comments|threadedComments)(?:\d*|\/[^/]+)\.xml$/i, 'Comments are left out'],
  [/^(?:word|xl)\/(?:charts|chartsheets)\/[^/]+\.xml$/i, 'Charts are not read'],
  [/^(?:word|xl)\/diagrams\/data[^/]*\.xml$/i, 'Diagrams (SmartArt) are not read'],
];

/**
 * Parts whose words are no text of the document, or another form of text that is read: properties, styles, masters, heads of
 * pages, drawings of diagrams, caches of other files, and what belongs to slides and sheets that are hidden or not used.
 */
const NO_TEXT = [
  /^(?:\[Content_Types\]\.xml$|docProps\/|customXml\/|_rels\/)|\/_rels\//,
  /\/(?:theme|glossary|slideLayouts|slideMasters|notesMasters|handoutMasters|notesSlides|slides|tags|worksheets|drawings)\//,
  /\/(?:charts|diagrams|tables|pivotTables|pivotCache|externalLinks|queryTables|ctrlProps|activeX|slicers|slicerCaches)\//,
  /\/(?:timelines|timelineCaches|revisions|persons|richData|webextensions|embeddings|embeddedLabels|printerSettings|model)\//,
  /\/(?:header|footer)\d*\.xml$/,
];

const TEXTS: ReadonlySet<string> = new Set(['t', 'text']);

/** Whether a part has words in an element of text. A damaged part has none. */
function holdsText(xml: string): boolean {
  let inText = false;
  let found = false;
  try {
    scanXml(xml, {
      open: (name) => void (inText = TEXTS.has(name)),
      close: () => void (inText = false),
      text: (text) => void (found ||= inText && text.trim() !== ''),
    });
  } catch {
    return found;
  }
  return found;
}

/** Sentences about words of an office file that are missing from its text. */
export function leftOut(parts: OpenedParts, main: string): string[] {
  const { opened } = parts;
  const told = new Set<string>();
  const unknown: string[] = [];
  for (const [name, bytes] of parts) {
    const sentence = LEFT_OUT.find(([pattern]) => pattern.test(name))?.[1];
    const isCandidate =
      sentence === undefined ? !opened.has(name) && !NO_TEXT.some((each) => each.test(name)) : !told.has(sentence);
    if (!isCandidate || !(/\/charts(?:heets)?\//.test(name) || holdsText(bytes.toString('utf8')))) continue;
    if (sentence === undefined) unknown.push(name);
    else told.add(sentence);
  }
  if (insertsFiles(parts, main)) told.add('Other files that the document inserts are not read');
  if (unknown.length > 0) told.add(`Text in parts that are not read: ${unknown.slice(0, 5).join(', ')}`);
  return [...told];
}

/** Alternative format import parts (ECMA-376-1 §11.3.1): Word shows another file in the place of an element. */
const insertsFiles = (parts: OfficeParts, main: string): boolean =>
  relationsOf(parts, main).some(({ type }) => type === 'aFChunk');

interface Relation {
  readonly id: string;
  /** Last step of the type's address. */
  readonly type: string;
  /** Name of a part. */
  readonly target: string;
}

export const partText = (parts: OfficeParts, name: string): string | undefined => parts.get(name)?.toString('utf8');

/** The name of a part as another one refers to it. It never leaves the file. */
export const resolvePart = (folder: string, target: string): string => posix.resolve(`/${folder}`, target).slice(1);

/** Parts of the same file that a part refers to (OPC, ECMA-376-2 §6.5). Nothing outside of the file is read. */
export function relationsOf(parts: OfficeParts, part: string): readonly Relation[] {
  const folder = posix.dirname(part);
  const xml = partText(parts, `${folder}/_rels/${posix.basename(part)}.rels`);
  if (xml === undefined) return [];
  return allNamed(parseXml(xml), 'Relationship').flatMap(({ attributes }) => {
    const { Id: id, Type: type = '', Target: target, TargetMode: mode } = attributes;
    if (id === undefined || target === undefined || mode === 'External') return [];
    return [{ id, type: posix.basename(type), target: resolvePart(folder, target) }];
  });
}

/** The expansion limit applies beyond this size only. */
const FREE_BYTES = 10 * 1024 * 1024;
/** Images and embedded objects stay packed. */
const PARTS = /\.(?:xml|rels)$/i;

/** The XML parts of an office document or e-book by name. */
export type OfficeParts = ReadonlyMap<string, Buffer>;

/** The parts of an office file, with a record of those that a reader asked for. */
export class OpenedParts extends Map<string, Buffer> {
  readonly opened = new Set<string>();

  override get(name: string): Buffer | undefined {
    this.opened.add(name);
    return super.get(name);
  }
}

const tooBig = (): ExtractionError =>
  new ExtractionError('document.expansion', 'The document unpacks to far more than its size; it looks like a ZIP bomb');

/** Unpacks one entry. The declared size is not trusted: the bytes are counted. */
async function unpack(zip: ZipFile, entry: Entry, left: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of await zip.openReadStreamPromise(entry)) {
    parts.push(part as Buffer);
    size += (part as Buffer).length;
    if (size > left) throw tooBig();
  }
  return Buffer.concat(parts);
}

async function unpackAll(bytes: Buffer, limit: number, wanted: RegExp): Promise<OpenedParts> {
  const zip = await openZip(bytes);
  if (zip.entryCount > MOST_ENTRIES) throw tooBig();
  const parts = new OpenedParts();
  let left = limit;
  for (const entry of await entriesOf(zip)) {
    if (!wanted.test(entry.fileName)) continue;
    const content = await unpack(zip, entry, left);
    left -= content.length;
    parts.set(entry.fileName, content);
  }
  return parts;
}

/** @throws {ExtractionError} `document.expansion`, `document.malformed` */
export async function openOffice(
  bytes: Buffer,
  { maxExpansion }: ExtractionLimits,
  what: 'Word document' | 'presentation' | 'workbook' | 'e-book',
  wanted = PARTS,
): Promise<OpenedParts> {
  try {
    return await unpackAll(bytes, Math.max(FREE_BYTES, bytes.length * maxExpansion), wanted);
  } catch (error) {
    if (error instanceof ExtractionError) throw error;
    throw new ExtractionError('document.malformed', `The ${what} is damaged and cannot be read`, {
      cause: error,
    });
  }
}
