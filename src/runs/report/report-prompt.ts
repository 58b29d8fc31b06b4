import type { Segment } from '../../kernel/templates';
import type { ReportPromptPart } from './report.types';

/** The content of a slot, and the index of the tool that filled it. */
export interface SlotContent {
  readonly text: string;
  readonly index?: number;
}

/** The parts of a filled template, as references to the texts. Unfilled slots have an empty text. */
export const reportPrompt = (
  segments: readonly Segment[],
  contentOf: (slot: string) => SlotContent | undefined,
): readonly ReportPromptPart[] =>
  segments.map((segment) => {
    if (segment.kind === 'literal') return { text: segment.text, chars: segment.text.length };
    const { text = '', index } = contentOf(segment.slot.name) ?? {};
    return { slot: segment.slot.name, ...(index === undefined ? {} : { index }), text, chars: text.length };
  });
