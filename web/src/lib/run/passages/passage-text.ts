export interface Mark {
  readonly text: string;
  /** It begins like a word of the question. */
  readonly hit: boolean;
}

/** A heading, or the text between two headings. */
export interface PassageBlock {
  readonly isHeading: boolean;
  readonly text: string;
}

/** Markdown's mark of a heading; a table, list or formula stays as it is written. */
const HEADING = /^ {0,3}#{1,6}\s+/;
const CLOSING = /(?:^|\s)#+$/;

/** Empty for a line that is no heading, or one without words. */
function titleOf(line: string): string {
  const mark = HEADING.exec(line)?.[0];
  return mark === undefined ? '' : line.slice(mark.length).trim().replace(CLOSING, '').trimEnd();
}

/** The passage cut at the headings of Markdown, without their marks and without empty lines around them. */
export function blocksOf(passage: string): readonly PassageBlock[] {
  const blocks: PassageBlock[] = [];
  let lines: string[] = [];
  const close = (): void => {
    const text = lines
      .join('\n')
      .trimEnd()
      .replace(/^\s*\n/, '');
    if (text.trim() !== '') blocks.push({ isHeading: false, text });
    lines = [];
  };
  for (const line of passage.split('\n')) {
    const heading = titleOf(line);
    if (heading === '') lines.push(line);
    else {
      close();
      blocks.push({ isHeading: true, text: heading });
    }
  }
  close();
  return blocks;
}

const WORD = /[\p{L}\p{N}]+/gu;
const SHORTEST = 3;
const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
/** Long words match by their beginning: search takes endings off, and so does this. */
const stem = (word: string): string => plain(word).slice(0, Math.max(SHORTEST, Math.ceil(word.length * 0.7)));

/** The passage cut where words look like those of the question. */
export function marksOf(passage: string, question: string): Mark[] {
  const stems = [...new Set([...question.matchAll(WORD)].map(([word]) => word))]
    .filter(({ length }) => length >= SHORTEST)
    .map(stem);
  const marks: Mark[] = [];
  let from = 0;
  for (const { 0: word, index } of passage.matchAll(WORD)) {
    const folded = plain(word);
    if (!stems.some((start) => folded.startsWith(start))) continue;
    if (index > from) marks.push({ text: passage.slice(from, index), hit: false });
    marks.push({ text: word, hit: true });
    from = index + word.length;
  }
  if (from < passage.length) marks.push({ text: passage.slice(from), hit: false });
  return marks;
}
