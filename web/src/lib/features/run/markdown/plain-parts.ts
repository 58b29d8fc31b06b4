/** A stretch of Markdown, or one that is too costly to read as such and is shown as it is. */
export interface Part {
  readonly text: string;
  readonly plain: boolean;
}

/** Characters of lines without a blank one between them. Reading inline marks takes time by length × marks. */
const MOST_CHARS = 20_000;
const MOST_MARKS = 1_500;
/** Quotations and lists inside each other. */
const MOST_NESTED = 50;

const FENCE = /^ {0,3}(`{3,}(?=[^`\n]*$)|~{3,})/;
const MARKS = /[<[\]$_*`~!\\]/g;
const NESTED = new RegExp(String.raw`^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){${MOST_NESTED}}`);
const OWN_BYTES = /data:image\/[a-z]+;base64,[\w+/=]+/g;

/** Cuts a text at blank lines where a stretch between them is too costly; joined, the parts are the text. */
export function plainParts(text: string): readonly Part[] {
  const parts: Part[] = [];
  const add = (stretch: string, plain: boolean): void => {
    const last = parts.at(-1);
    if (stretch === '') return;
    if (last?.plain === plain) parts[parts.length - 1] = { text: last.text + stretch, plain };
    else parts.push({ text: stretch, plain });
  };
  let stretch = '';
  let fence: string | null = null;
  for (const line of text.split(/(?<=\n)/)) {
    const mark: string | undefined = FENCE.exec(line.trimEnd())?.[1];
    const isBoundary = fence !== null || mark !== undefined || line.trim() === '';
    if (fence !== null) fence = closes(line, fence) ? null : fence;
    else if (mark !== undefined) fence = mark;
    if (!isBoundary) {
      stretch += line;
      continue;
    }
    add(stretch, isCostly(stretch));
    stretch = '';
    add(line, false);
  }
  add(stretch, isCostly(stretch));
  return parts;
}

const closes = (line: string, fence: string): boolean => {
  const words = line.trim();
  return words.startsWith(fence) && words === (fence[0] ?? '').repeat(words.length);
};

function isCostly(stretch: string): boolean {
  if (stretch.length <= MOST_NESTED) return false;
  if (stretch.split('\n').some((line) => NESTED.test(line))) return true;
  if (stretch.length <= MOST_MARKS) return false;
  const own = stretch.replace(OWN_BYTES, '');
  return own.length > MOST_CHARS || (own.match(MARKS)?.length ?? 0) > MOST_MARKS;
}
