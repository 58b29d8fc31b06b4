import { ExtractionError } from '../document/extraction.errors';
import type { Content, Source } from './format-reader.types';
import { shortTitle, sourceText } from './text';

/** Seconds of speech below one heading. A passage links to the second of its heading. */
const SECTION_SECONDS = 60;

/** `00:01:02.500 --> …`; SubRip writes a comma, WebVTT may leave out the hours. */
const TIMING = /^\s*(?:(\d{1,4}):)?(\d{1,2}):(\d{2})[.,]\d{1,3}\s+-->/;
const BLOCK_WITHOUT_SPEECH = /^(?:NOTE|STYLE|REGION)(?:\s|$)/;
/** Tags, and the positions that SubRip takes from another format: `{\an8}`. */
const TAG = /<[^<>]*>|\{\\[^{}]*\}/g;
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&nbsp;': ' ',
  '&lrm;': '',
  '&rlm;': '',
};
/** Would be read as a heading, a fence or a table of the document. */
const MARKUP = /^(?=#|`{3}|~{3}|\|)/;

interface Cue {
  /** Seconds from the beginning. */
  readonly start: number;
  readonly text: string;
}

const startOf = (line: string): number | null => {
  const match = TIMING.exec(line);
  if (match === null) return null;
  const [, hours = '0', minutes = '0', seconds = '0'] = match;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
};

const spoken = (line: string): string =>
  line
    .replace(TAG, '')
    .replace(/&(?:amp|lt|gt|nbsp|lrm|rlm);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();

/** Live captions repeat the last line of the cue before: it is left out. */
function* cuesOf(text: string): Generator<Cue> {
  let last = '';
  for (const block of text.replace(/\r\n?/g, '\n').split(/\n{2,}/)) {
    if (BLOCK_WITHOUT_SPEECH.test(block)) continue;
    const lines = block.split('\n');
    const at = lines.findIndex((line) => startOf(line) !== null);
    const start = startOf(lines[at] ?? '');
    if (start === null) continue;
    for (const line of lines.slice(at + 1)) {
      const words = spoken(line);
      if (words === '' || words === last) continue;
      last = words;
      yield { start, text: words };
    }
  }
}

/** `1:02:05`, `2:05`. */
function timestampOf(seconds: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Text behind `WEBVTT` in the first line (WebVTT §4.1), where tools write the title. */
function titleOf(text: string): string | null {
  const header = /^WEBVTT[ \t]+([^\n\r]*)/.exec(text)?.[1] ?? '';
  return shortTitle(header.replace(/^-\s*/, ''));
}

/** WebVTT and SubRip as text with one heading per minute: the time at which its first words are spoken. */
export function readCaptions(source: Source): Content {
  const { text, warnings } = sourceText(source);
  const sections: { start: number; words: string[] }[] = [];
  for (const { start, text: words } of cuesOf(text)) {
    const open = sections.at(-1);
    if (open === undefined || start >= open.start + SECTION_SECONDS || start < open.start) {
      sections.push({ start, words: [words] });
    } else open.words.push(words);
  }
  if (sections.length === 0) throw new ExtractionError('document.no_text', 'The captions hold no words');
  const written = sections.map(
    ({ start, words }) => `## ${timestampOf(start)}\n\n${words.join(' ').replace(MARKUP, '\\')}`,
  );
  return { text: written.join('\n\n'), title: titleOf(text), pages: [], warnings };
}
