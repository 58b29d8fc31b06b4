import { type SourcePassage, titleOfSource } from '../../kernel';
import type { ToolOutcome } from '../contract';

/**
 * The texts that the tools found, in tool order, with the numbers of their sources. A result without passages of its own
 * is one passage. Judgements and texts made from earlier results are left out.
 */
export const foundPassages = (outcomes: readonly ToolOutcome[]): readonly SourcePassage[] =>
  outcomes.flatMap((outcome) => {
    if (outcome.status !== 'completed' || (outcome.evidence ?? 'found') !== 'found') return [];
    const { content, sources, passages = [] } = outcome;
    if (passages.length === 0)
      return content.trim() === '' ? [] : [passageOf(content, sources.length === 1 ? 0 : -1, sources)];
    return passages.map(({ text, source }) => passageOf(text, source, sources));
  });

function passageOf(
  text: string,
  at: number,
  sources: Extract<ToolOutcome, { status: 'completed' }>['sources'],
): SourcePassage {
  const source = sources[at];
  return { n: source?.n ?? null, title: source === undefined ? '' : titleOfSource(source), text };
}
