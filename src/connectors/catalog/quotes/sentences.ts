/** A sentence or list item as it stands in its passage, without the white space around it. */
export interface Sentence {
  readonly text: string;
  /** The heading above it; empty without one. */
  readonly heading: string;
  /** True when nothing but white space lies between it and the sentence before it. */
  readonly follows: boolean;
}

const HEADING = /^\s{0,3}#{1,6}\s+/;
const CLOSING = /(?:^|\s)#+$/;
const LIST_ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;
const TABLE_ROW = /^\s*\|/;
/** Empty lines, rules, and frames of tables. */
const RULE = /^[|:\-=*_\s]*$/;
const FENCE = /^\s*(```|~~~)/;
/** Abbreviations after which a sentence goes on. */
const GOES_ON =
  /(?:^|[\s(])(?:\p{Lu}|Dr|Dra|Mr|Mrs|Ms|St|No|Nr|vs|etc|e\.g|i\.e|cf|ca|c|Sr|Sra|Prof|pp?|vol|fig|art|approx|núm|pág)\.$/u;
const ENDS = /[.!?;,]$/;
const STARTS_SMALL = /^[\p{Ll}\p{N}]/u;
const LONGEST = 600;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

interface Line {
  readonly kind: 'text' | 'item' | 'row' | 'heading' | 'break';
  readonly text: string;
}

/** Lines that belong together, without line breaks. */
interface Block extends Line {
  /** An empty line came after it. */
  readonly closed: boolean;
  /** True when it ended with a colon and took in the first item of a list. */
  readonly listing: boolean;
}

/** Splits a passage at its lines and sentences. Headings, rules and code are no sentences. */
export function sentencesOf(passage: string): readonly Sentence[] {
  const sentences: Sentence[] = [];
  let heading = '';
  for (const { kind, text: block } of blocksOf(passage)) {
    if (kind === 'heading') {
      heading = block;
      continue;
    }
    for (const [at, text] of joinedParts(block).entries()) {
      if (/[\p{L}\p{N}]/u.test(text)) sentences.push({ text, heading, follows: at > 0 });
    }
  }
  return sentences;
}

function blocksOf(passage: string): readonly Block[] {
  const blocks: Block[] = [];
  for (const line of linesOf(passage)) {
    const last = blocks.at(-1);
    if (line.kind === 'break') {
      if (last !== undefined) blocks[blocks.length - 1] = { ...last, closed: true };
    } else if (last !== undefined && goesOn(last, line)) blocks[blocks.length - 1] = joinedTo(last, line);
    else blocks.push({ ...line, closed: false, listing: false });
  }
  return blocks;
}

function* linesOf(passage: string): Generator<Line> {
  let fence: string | null = null;
  for (const line of passage.split(/\r?\n/)) {
    const mark = FENCE.exec(line)?.[1] ?? null;
    const isCode = fence !== null || mark !== null;
    if (mark !== null && (fence === null || mark === fence)) fence = fence === null ? mark : null;
    yield isCode ? { kind: 'break', text: '' } : lineOf(line);
  }
}

function lineOf(line: string): Line {
  if (RULE.test(line)) return { kind: 'break', text: '' };
  const heading = HEADING.exec(line);
  if (heading !== null) {
    const title = line.slice(heading[0].length).trim();
    return { kind: 'heading', text: title.replace(CLOSING, '').trimEnd() };
  }
  const kind = LIST_ITEM.test(line) ? 'item' : TABLE_ROW.test(line) ? 'row' : 'text';
  return { kind, text: line.replace(LIST_ITEM, '').trim() };
}

/** A colon takes in the list or formula that it announces. */
function goesOn(last: Block, line: Line): boolean {
  if (last.kind === 'heading' || line.kind === 'heading') return false;
  if (last.text.endsWith(':')) return true;
  if (line.kind === 'item') return last.listing;
  return line.kind === 'text' && last.kind !== 'row' && !last.closed;
}

function joinedTo(last: Block, line: Line): Block {
  const gap = last.listing && line.kind === 'item' && !ENDS.test(last.text) ? '; ' : ' ';
  const listing = line.kind === 'item' && (last.listing || last.text.endsWith(':'));
  return { ...last, text: last.text + gap + line.text, closed: false, listing };
}

/** The segmenter also stops after abbreviations: such pieces are joined again. */
function joinedParts(block: string): readonly string[] {
  const parts: string[] = [];
  for (const { segment } of segmenter.segment(block)) {
    const text = segment.trim();
    const last = parts.at(-1);
    if (text === '') continue;
    const goesOn = last !== undefined && (GOES_ON.test(last) || (STARTS_SMALL.test(text) && !/[!?]$/.test(last)));
    if (goesOn && last.length + text.length < LONGEST) parts[parts.length - 1] = `${last} ${text}`;
    else parts.push(text);
  }
  return parts;
}
