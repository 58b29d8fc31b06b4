import type { ToolOutcome } from '../../tools';

/** Two tools with one placeholder (refused at save, found in old documents) both reach its slot, in tool order. */
export function contentByPlaceholder(outcomes: readonly ToolOutcome[]): Map<string, string> {
  const contents = new Map<string, string>();
  for (const outcome of outcomes) {
    if (outcome.status !== 'completed' || outcome.placeholder === null || outcome.content === '') continue;
    const earlier = contents.get(outcome.placeholder);
    contents.set(outcome.placeholder, earlier === undefined ? outcome.content : `${earlier}\n\n${outcome.content}`);
  }
  return contents;
}
