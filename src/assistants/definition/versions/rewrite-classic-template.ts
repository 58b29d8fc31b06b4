import { compileTemplate, type Segment, USER_INPUT } from '../../../kernel/templates';

/**
 * Renames the slots of a classic template in one pass; null removes a slot. A classic assistant puts newlines around an
 * empty context, a tool's slot does not. So a newline replaces a `{context}` between two words, and an otherwise empty
 * template. `isFramed` is false where `{context}` is removed without newlines.
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

/** For each segment: whether a word ends right before it, ignoring slots that may be empty. */
function touching(segments: readonly Segment[], edge: RegExp): boolean[] {
  let word = false;
  return segments.map((segment) => {
    const touched = word;
    if (segment.kind === 'literal') word = edge.test(segment.text);
    else if (segment.slot.name === USER_INPUT) word = false;
    return touched;
  });
}
