import { diffArrays } from 'diff';

/** Characters `from` to `to` of the old text become `insert`. Edits of one list are in order and do not touch. */
export interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** Edits beyond which a text counts as another one, replaced as a whole. */
const MOST_EDITS = 400;
const TOKEN = /(\{[^{}]*\}|\s+)/;

/**
 * Small edits that make one text of the other, so that a caret and a selection stay on their words when placeholders all
 * over the text are renamed.
 */
export function editsBetween(before: string, after: string): readonly TextEdit[] {
  if (before === after) return [];
  const start = commonStart(before, after);
  const end = commonEnd(before.slice(start), after.slice(start));
  const whole = { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
  const old = before.slice(whole.from, whole.to);
  if (old === '' || whole.insert === '') return [whole];
  // Cut at whole tokens: the common start may end inside a placeholder.
  const blocks = diffArrays(before.split(TOKEN), after.split(TOKEN), { maxEditLength: MOST_EDITS });
  if (blocks === undefined) return [whole];
  const edits: TextEdit[] = [];
  let position = 0;
  let taken = '';
  const flush = (insert: string): void => {
    if (taken !== insert) edits.push(trimmed(position - taken.length, taken, insert));
    taken = '';
  };
  for (const { value, added, removed } of blocks) {
    const text = value.join('');
    if (added) flush(text);
    else {
      if (taken !== '') flush('');
      position += text.length;
      if (removed) taken = text;
    }
  }
  if (taken !== '') flush('');
  return edits;
}

/** Position in the new text for one of the old; at an edit, behind it. */
export function mapPosition(position: number, edits: readonly TextEdit[]): number {
  let moved = position;
  for (const { from, to, insert } of edits) {
    if (to <= position && !(from === to && from === position)) moved += insert.length - (to - from);
    else if (from <= position) return moved - (position - from) + insert.length;
  }
  return moved;
}

function trimmed(from: number, before: string, after: string): TextEdit {
  const start = commonStart(before, after);
  const end = commonEnd(before.slice(start), after.slice(start));
  return { from: from + start, to: from + before.length - end, insert: after.slice(start, after.length - end) };
}

function commonStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
}

function commonEnd(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one.charCodeAt(one.length - 1 - length) === other.charCodeAt(other.length - 1 - length))
    length += 1;
  return length;
}
