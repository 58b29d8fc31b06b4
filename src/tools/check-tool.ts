import type { ChatMessage, JsonObject } from '@bellwether/kernel';
import type { ToolContext, ToolDefinition, ToolInput, ToolOutput } from './contract';
import { AskingTool, type Material, dataFence, materialOf, shown } from './material';

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
function checkedText(
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

const CHECK_PROPERTIES: JsonObject = {
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

/** One kind of check: its prompt and the reading of the model's answer `Given`, which `schema` describes. */
export interface Check<Given> {
  readonly name: string;
  readonly progress: (pieces: number) => string;
  readonly instruction: string;
  readonly schema: JsonObject;
  readonly maxTokens: number;
  /** The output, without warnings and usage. */
  readonly judge: (given: Given, checked: CheckedText, config: CheckConfig) => ToolOutput;
}

/** Lets a model compare a text with the results of earlier tools. */
export abstract class CheckTool<Given> extends AskingTool<CheckConfig> {
  protected abstract readonly check: Check<Given>;

  phase({ checks }: CheckConfig): 'pipeline' | 'answer' {
    return checks === 'answer' ? 'answer' : 'pipeline';
  }

  /** Checking combined results needs a `synthesis` tool before it. The finished answer needs none. */
  needs({ checks }: CheckConfig): { tool: string | null } {
    return { tool: checks === 'synthesis' ? 'synthesis' : null };
  }

  async run(config: CheckConfig, _: ToolInput, context: ToolContext): Promise<ToolOutput> {
    const checked = checkedText(config, context);
    if ('nothing' in checked) return checked.nothing;
    const { name, progress, instruction, schema, maxTokens, judge } = this.check;
    context.progress(progress(checked.material.pieces.length));
    const messages = messagesFor(instruction, checked);
    const { value, usage, warnings } = await this.ask<Given>(context, { name, messages, schema, maxTokens });
    return { ...judge(value, checked, config), warnings: [...warnings, ...checked.warnings], usage };
  }
}

const messagesFor = (instruction: string, { text, material }: CheckedText): ChatMessage[] => [
  { role: 'system', content: instruction },
  { role: 'user', content: `${dataFence('text').around(text)}\n\n${shown(material, dataFence('material'))}` },
];

type OwnMembers = 'name' | 'aliases' | 'display_name' | 'description' | 'texts' | 'placeholder' | 'icon' | 'examples';

/** The definition of a check. */
export const checkDefinition = (own: Pick<ToolDefinition, OwnMembers> & { capability: string }): ToolDefinition => {
  const { capability, ...named } = own;
  return {
    ...named,
    category: 'validation',
    role: 'check',
    evidence: 'none',
    version: '1.0.0',
    kind: 'pipeline',
    allow_multiple: true,
    config_schema: { type: 'object', properties: CHECK_PROPERTIES, additionalProperties: false },
    parameters: {},
    capabilities: [capability, 'answer_check'],
    limitations: ['Knows only what earlier tools of the pipeline found.', 'A model judges, and may be wrong.'],
    cost: { unit: 'tokens', estimate: 5_000 },
  };
};

/** One line of at most `max` UTF-16 units. */
export const oneLine = (text: string, max: number): string =>
  text.replace(/\s+/g, ' ').trim().slice(0, max).toWellFormed();
