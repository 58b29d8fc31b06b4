import type { JsonObject, Source } from '@bellwether/kernel';
import type { Citation, FoundPassage } from '../contract';
import { MAX_SOURCES } from '../read-output';

/** Title, URL and similarity as LAMB prints them; a source without one prints `Unknown`, nothing and 0.000. */
export interface SourceLine {
  readonly title: string;
  readonly url: string;
  readonly similarity: string;
}

export function sourceLine(source: Source): SourceLine {
  if (source.type === 'knowledge_base') {
    return { title: source.title, url: source.url, similarity: threeDecimals(source.similarity) };
  }
  return { title: source.type === 'rubric' ? source.title : 'Unknown', url: '', similarity: '0.000' };
}

export const SOURCES_HEADING = '\n\n## Available Sources\n\n';

/** The block that `simple_augment` appends to its context (LAMB compatibility); empty without sources. */
export function sourcesBlock(sources: readonly Source[]): string {
  if (sources.length === 0) return '';
  const lines = sources.map((source, index) => {
    const { title, url, similarity } = sourceLine(source);
    return `${index + 1}. [${title}](${url}) (similarity: ${similarity})\n`;
  });
  return SOURCES_HEADING + lines.join('');
}

/** Python's `.3f`: a tie goes to the even digit, where `toFixed` takes the larger. Only odd sixteenths can tie. */
function threeDecimals(value: number): string {
  const sixteenths = value * 16;
  if (!Number.isInteger(sixteenths) || sixteenths % 2 === 0) return value.toFixed(3);
  const below = Math.floor(value * 1000);
  return ((below % 2 === 0 ? below : below + 1) / 1000).toFixed(3);
}

export const SOURCES_IN_PROMPT = ['none', 'numbered', 'lamb'] as const;
/** The form in which the model sees sources. */
export type SourcesInPrompt = (typeof SOURCES_IN_PROMPT)[number];

/** Property of the config schemas of tools that have sources. */
export const SOURCES_PROPERTY: JsonObject = {
  type: 'string',
  title: 'Sources in the prompt',
  description:
    'none: the content only. numbered: [n] before each passage, so that the answer can cite. lamb: a list of sources behind the content; a search takes up to top_k passages of each collection in turn and searches for the question as it is written.',
  enum: [...SOURCES_IN_PROMPT],
  default: 'none',
};

export interface CitedText {
  readonly content: string;
  readonly citations: readonly Citation[];
  readonly passages: readonly FoundPassage[];
}

/**
 * Joins texts by blank lines for the model; each belongs to the source at its position. `numbered` puts `[n] ` and, where
 * it is known, the place in the document before each text, `lamb` appends the sources block of classic assistants. The engine fills in the numbers, which span all tools.
 */
export function citedText(texts: readonly string[], sources: readonly Source[], style: SourcesInPrompt): CitedText {
  const passages = texts.map((text, source) => ({ source, text }));
  if (style === 'none' || texts.length === 0) return { content: texts.join('\n\n'), citations: [], passages };
  return { ...(style === 'numbered' ? numbered(texts, sources) : withBlock(texts.join('\n\n'), sources)), passages };
}

/** Location of a passage, so that an answer can name it; empty when unknown. */
function placeBefore(source: Source | undefined): string {
  if (source?.type !== 'knowledge_base' || source.place === undefined) return '';
  return `(${source.title.replace(/\s+/g, ' ')}, ${source.place.text}) `;
}

function numbered(texts: readonly string[], sources: readonly Source[]): Omit<CitedText, 'passages'> {
  const citations: Citation[] = [];
  let content = '';
  for (const [source, text] of texts.entries()) {
    if (source > 0) content += '\n\n';
    citations.push({ at: content.length + 1, source });
    content += `[] ${placeBefore(sources[source])}${text}`;
  }
  return { content, citations };
}

/** The list ends where the output's own list of sources does. */
function withBlock(text: string, sources: readonly Source[]): Omit<CitedText, 'passages'> {
  const citations: Citation[] = [];
  let content = text + SOURCES_HEADING;
  for (const [source, line] of sources.slice(0, MAX_SOURCES).entries()) {
    const { title, url, similarity } = sourceLine(line);
    citations.push({ at: content.length, source });
    content += `. [${title}](${url}) (similarity: ${similarity})\n`;
  }
  return { content, citations };
}
