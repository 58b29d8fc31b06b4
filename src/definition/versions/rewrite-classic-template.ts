import { compileTemplate, type Segment, USER_INPUT } from '../../templates';

/**
 * A classic template with its slots renamed in one pass; null takes a slot out. Classic puts newlines around an empty
 * context, a tool's slot does not: where `{context}` is all that stands between two words, a newline takes their place. The
 * same where nothing is left: an empty template would let the question through. `isFramed` is false where classic leaves
 * nothing at all for `{context}`.
 */
export function rewriteClassicTemplate(
  template: string,
  renames: ReadonlyMap<string, string | null>,
  isFramed = true,
): string {
  const { segments } = compileTemplate(template, { types: [], names: [...renames.keys()] });
  const before = touching(segments, /\S$/);
  const after = touching(segments.toReversed(), /^\S/).toReversed();
  const parts = segments.map((segment, position) => {
    if (segment.kind === 'literal') return segment.text;
    const { name } = segment.slot;
    if (name === USER_INPUT) return `{${name}}`;
    const renamed = renames.get(name) ?? null;
    const isBetweenWords = before[position] === true && after[position] === true;
    const parted = isFramed && name === 'context' && isBetweenWords ? '\n' : '';
    return `${parted}${renamed === null ? '' : `{${renamed}}`}`;
  });
  const rewritten = parts.join('');
  return rewritten === '' && template !== '' ? '\n' : rewritten;
}

/** For each segment whether a word ends right where it begins; slots that may be empty are looked through. */
function touching(segments: readonly Segment[], edge: RegExp): boolean[] {
  let word = false;
  return segments.map((segment) => {
    const touched = word;
    if (segment.kind === 'literal') word = edge.test(segment.text);
    else if (segment.slot.name === USER_INPUT) word = false;
    return touched;
  });
}
