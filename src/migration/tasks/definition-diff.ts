import type { RewriteSubject } from '../../assistants';

type Documents = Pick<RewriteSubject['definition'], 'metadata' | 'promptTemplate'>;

/** Longer texts are compared as a whole: the table grows with the product of both lengths. */
const MOST_LINES = 400;
const CONTEXT = 2;
const MOST_WIDTH = 200;

interface DiffLine {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/** Indents JSON, so that a change is a line; other text stays unchanged. */
function pretty(metadata: string): string {
  if (metadata.trim() === '') return '{}';
  try {
    return JSON.stringify(JSON.parse(metadata), null, 2);
  } catch {
    return metadata;
  }
}

/** A unified diff of metadata and template with two lines of context, at most `limit` lines. */
export function definitionDiff(before: Documents, after: Documents, limit = 120): string[] {
  const lines = [
    ...section('metadata', pretty(before.metadata), pretty(after.metadata)),
    ...section('prompt_template', before.promptTemplate, after.promptTemplate),
  ];
  return lines.length <= limit ? lines : [...lines.slice(0, limit), `… ${lines.length - limit} more lines`];
}

function section(name: string, before: string, after: string): string[] {
  if (before === after) return [];
  return [`--- ${name}`, `+++ ${name}`, ...hunks(diffLines(before.split('\n'), after.split('\n')))];
}

function hunks(lines: readonly DiffLine[]): string[] {
  const shown: string[] = [];
  let hidden = false;
  for (const [n, { mark, text }] of lines.entries()) {
    const near = lines.slice(Math.max(0, n - CONTEXT), n + CONTEXT + 1).some((line) => line.mark !== ' ');
    if (near) {
      if (hidden) shown.push('@@');
      shown.push(`${mark}${text.length > MOST_WIDTH ? `${text.slice(0, MOST_WIDTH).toWellFormed()}…` : text}`);
    }
    hidden = !near;
  }
  return shown;
}

/** By the longest common subsequence of lines (Wagner–Fischer). */
function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const removed = before.map((text): DiffLine => ({ mark: '-', text }));
  const added = after.map((text): DiffLine => ({ mark: '+', text }));
  if (before.length > MOST_LINES || after.length > MOST_LINES) return [...removed, ...added];
  const common = commonLines(before, after);
  const lines: DiffLine[] = [];
  let [b, a] = [0, 0];
  while (b < before.length && a < after.length) {
    if (before[b] === after[a]) {
      lines.push({ mark: ' ', text: before[b] ?? '' });
      b += 1;
      a += 1;
    } else if (common(b + 1, a) >= common(b, a + 1)) lines.push(...removed.slice(b, (b += 1)));
    else lines.push(...added.slice(a, (a += 1)));
  }
  return [...lines, ...removed.slice(b), ...added.slice(a)];
}

/** Length of the longest common subsequence from line `b` of one text and line `a` of the other. */
function commonLines(before: readonly string[], after: readonly string[]): (b: number, a: number) => number {
  const width = after.length + 1;
  const table = new Uint16Array((before.length + 1) * width);
  const at = (b: number, a: number): number => table[b * width + a] ?? 0;
  for (let b = before.length - 1; b >= 0; b--) {
    for (let a = after.length - 1; a >= 0; a--)
      table[b * width + a] = before[b] === after[a] ? 1 + at(b + 1, a + 1) : Math.max(at(b + 1, a), at(b, a + 1));
  }
  return at;
}
