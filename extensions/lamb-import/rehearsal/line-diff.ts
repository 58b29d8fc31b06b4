/** Longer texts are compared by their first lines that differ. */
const COMPARED_LINES = 300;
const CONTEXT = 1;

/**
 * Lines of a unified diff from `before` to `after`, at most `maxLines` of `maxChars`. Equal lines far from a change are
 * left out.
 */
export function lineDiff(before: string, after: string, maxLines = 40, maxChars = 200): readonly string[] {
  const [one, other] = [before.split(/\r?\n/), after.split(/\r?\n/)];
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start += 1;
  let end = 0;
  const shortest = Math.min(one.length, other.length) - start;
  while (end < shortest && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const lines = [
    ...one.slice(Math.max(0, start - CONTEXT), start).map((text) => ` ${text}`),
    ...changes(one.slice(start, one.length - end), other.slice(start, other.length - end)),
    ...one.slice(one.length - end, one.length - end + CONTEXT).map((text) => ` ${text}`),
  ];
  const shown = lines.slice(0, maxLines).map((text) => cut(text, maxChars));
  return lines.length > maxLines ? [...shown, `… ${lines.length - maxLines} more lines`] : shown;
}

const cut = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : `${text.slice(0, maxChars).toWellFormed()}…`;

/** Longest common subsequence of lines; the rest of long texts is taken as replaced. */
function changes(before: readonly string[], after: readonly string[]): string[] {
  const one = before.slice(0, COMPARED_LINES);
  const other = after.slice(0, COMPARED_LINES);
  const lengths = commonLengths(one, other);
  const at = (row: number, column: number): number => lengths[row * (other.length + 1) + column] ?? 0;
  const lines: string[] = [];
  let [row, column] = [0, 0];
  while (row < one.length || column < other.length) {
    if (row < one.length && column < other.length && one[row] === other[column]) {
      lines.push(` ${one[row] ?? ''}`);
      row += 1;
      column += 1;
    } else if (column === other.length || (row < one.length && at(row + 1, column) >= at(row, column + 1))) {
      lines.push(`-${one[row] ?? ''}`);
      row += 1;
    } else {
      lines.push(`+${other[column] ?? ''}`);
      column += 1;
    }
  }
  const rest = [
    ...before.slice(COMPARED_LINES).map((text) => `-${text}`),
    ...after.slice(COMPARED_LINES).map((text) => `+${text}`),
  ];
  return [...lines, ...rest];
}

function commonLengths(one: readonly string[], other: readonly string[]): Uint16Array {
  const width = other.length + 1;
  const lengths = new Uint16Array((one.length + 1) * width);
  for (let row = one.length - 1; row >= 0; row -= 1) {
    for (let column = other.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        one[row] === other[column]
          ? (lengths[(row + 1) * width + column + 1] ?? 0) + 1
          : Math.max(lengths[(row + 1) * width + column] ?? 0, lengths[row * width + column + 1] ?? 0);
    }
  }
  return lengths;
}
