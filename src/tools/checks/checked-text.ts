import type { JsonObject } from '../../kernel';
import type { ToolContext, ToolOutput } from '../contract';
import { type Material, materialOf } from '../model-question';

const CHECKED = ['synthesis', 'answer'] as const;
type Checked = (typeof CHECKED)[number];

export interface CheckConfig extends JsonObject {
  /** `answer`: the tool runs after the finished answer, reports, and changes nothing. */
  readonly checks: Checked;
  readonly material_tokens: number;
}

const TEXT_CHARS = 24_000;

/** A text and the material to check it against. */
export interface CheckedText {
  readonly text: string;
  readonly material: Material;
  readonly warnings: readonly string[];
}

/** The text to check, or the output that says why there is none. */
export function checkedText(
  { checks, material_tokens: maxTokens }: CheckConfig,
  { answer, results }: Pick<ToolContext, 'answer' | 'results'>,
): CheckedText | { readonly nothing: ToolOutput } {
  const text = (checks === 'answer' ? answer : lastSynthesis(results))?.trim() ?? '';
  if (text === '') return nothing(`there is no ${checks} to check`);
  const material = materialOf(results, { maxTokens, kinds: ['found'] });
  if (material.pieces.length === 0) return nothing('no earlier tool found anything to check against');
  const warnings = [
    ...(text.length > TEXT_CHARS ? [`the end of the ${checks} was not checked: it is too long`] : []),
    ...(material.cut ? ['some of the material did not fit into its budget'] : []),
  ];
  return { text: text.slice(0, TEXT_CHARS).toWellFormed(), material, warnings };
}

const nothing = (warning: string): { nothing: ToolOutput } => ({
  nothing: { content: '', sources: [], confidence: null, warnings: [warning] },
});

function lastSynthesis(results: ToolContext['results']): string | null {
  const texts = [...results.values()].flatMap((outcome) =>
    outcome.status === 'completed' && outcome.evidence === 'derived' ? [outcome.content] : [],
  );
  return texts.at(-1) ?? null;
}

export const CHECK_PROPERTIES: JsonObject = {
  checks: {
    type: 'string',
    title: 'Text to check',
    description:
      'Either the combined results of earlier tools (synthesis) or the finished answer, which the check never changes (answer).',
    enum: [...CHECKED],
    default: 'synthesis',
  },
  material_tokens: {
    type: 'integer',
    title: 'Token budget of the material',
    description: 'Estimated tokens of earlier results that the model reads. Longer results are cut.',
    minimum: 500,
    maximum: 100_000,
    default: 12_000,
  },
};
