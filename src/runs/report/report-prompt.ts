import type { Segment } from '../../templates';
import type { ReportPromptPart } from './report.types';

/** What stands in a slot, and which of the assistant's tools put it there. */
export interface SlotContent {
  readonly text: string;
  readonly index?: number;
}

/** A filled template in its parts: the texts themselves, none copied. Slots that nothing fills are there with no text. */
export const reportPrompt = (
  segments: readonly Segment[],
  contentOf: (slot: string) => SlotContent | undefined,
): readonly ReportPromptPart[] =>
  segments.map((segment) => {
    if (segment.kind === 'literal') return { text: segment.text, chars: segment.text.length };
    const { text = '', index } = contentOf(segment.slot.name) ?? {};
    return { slot: segment.slot.name, ...(index === undefined ? {} : { index }), text, chars: text.length };
  });
