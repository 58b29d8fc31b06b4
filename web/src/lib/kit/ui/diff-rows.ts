import { diffArrays, diffWordsWithSpace } from 'diff';

export interface DiffPart {
  readonly text: string;
  /** Whether it differs within the line. */
  readonly changed: boolean;
}

export type DiffRow =
  | { readonly kind: 'same' | 'removed' | 'added'; readonly parts: readonly DiffPart[] }
  /** Equal lines that are left out. */
  | { readonly kind: 'gap'; readonly lines: number };

/** Equal lines shown around what differs. */
const CONTEXT = 2;
/** Characters of a pair of lines whose words are compared; beyond that a line differs as a whole. */
const WORDS_LIMIT = 20_000;

const whole = (text: string, changed = false): readonly DiffPart[] => [{ text, changed }];

/** The lines of two texts, what was taken before what came; empty when they are equal. */
export function diffRows(before: string, after: string): readonly DiffRow[] {
  if (before === after) return [];
  const [left, right] = [linesOf(before), linesOf(after)];
  const blocks = diffArrays(left, right);
  const added = blocks.reduce((sum, block) => sum + (block.added ? block.value.length : 0), 0);
  const changedInPlace = left.filter((line, index) => line !== right[index]).length;
  // Renumbered slots: a line stays where it is, even when it becomes the text of its neighbour.
  return left.length === right.length && changedInPlace <= added ? byPosition(left, right) : byBlocks(blocks);
}

/** Nothing has no lines. */
const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n'));

/** Lines at the same place, each old line before its new one. */
function byPosition(left: readonly string[], right: readonly string[]): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  for (let start = 0; start < left.length;) {
    const isEqual = left[start] === right[start];
    let end = start;
    while (end < left.length && (left[end] === right[end]) === isEqual) end += 1;
    if (isEqual) rows.push(...equal(left.slice(start, end), start === 0, end === left.length));
    else for (let at = start; at < end; at += 1) rows.push(...changed([left[at] ?? ''], [right[at] ?? '']));
    start = end;
  }
  return rows;
}

function byBlocks(blocks: ReturnType<typeof diffArrays<string>>): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let taken: readonly string[] = [];
  for (const [index, { value, added, removed }] of blocks.entries()) {
    if (removed) taken = value;
    else {
      rows.push(...changed(taken, added ? value : []));
      taken = [];
      if (!added) rows.push(...equal(value, index === 0, index === blocks.length - 1));
    }
  }
  return [...rows, ...changed(taken, [])];
}

/** Equal lines between two changes, the middle of many left out. */
function equal(lines: readonly string[], first: boolean, last: boolean): DiffRow[] {
  const head = first ? 0 : CONTEXT;
  const tail = last ? 0 : CONTEXT;
  const same = (text: string): DiffRow => ({ kind: 'same', parts: whole(text) });
  const hidden = lines.length - head - tail;
  if (hidden <= 1) return lines.map(same);
  return [
    ...lines.slice(0, head).map(same),
    { kind: 'gap', lines: hidden },
    ...lines.slice(lines.length - tail).map(same),
  ];
}

/** Lines that became others: pairs of them show which words differ. */
function changed(before: readonly string[], after: readonly string[]): DiffRow[] {
  const pairs = before.map((text, index) => words(text, after[index]));
  return [
    ...before.map((text, index): DiffRow => ({ kind: 'removed', parts: pairs[index]?.removed ?? whole(text, true) })),
    ...after.map((text, index): DiffRow => ({ kind: 'added', parts: pairs[index]?.added ?? whole(text, true) })),
  ];
}

function words(
  before: string,
  after: string | undefined,
): { readonly removed: readonly DiffPart[]; readonly added: readonly DiffPart[] } | null {
  if (after === undefined || before.length + after.length > WORDS_LIMIT) return null;
  const parts = diffWordsWithSpace(before, after);
  const side = (other: 'added' | 'removed'): readonly DiffPart[] =>
    parts
      .filter((part) => !part[other])
      .map(({ value, added, removed }) => ({ text: value, changed: added || removed }));
  return { removed: side('added'), added: side('removed') };
}
