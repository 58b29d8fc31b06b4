import type { OfficeParts, OpenedParts } from './office-archive';
import { relationsOf } from './office-relations';
import { scanXml } from './office-xml';

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
