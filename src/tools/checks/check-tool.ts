import type { ChatMessage, JsonObject } from '../../kernel';
import type { ToolContext, ToolDefinition, ToolInput, ToolOutput } from '../contract';
import { AskingTool, dataFence, shown } from '../model-question';
import { CHECK_PROPERTIES, type CheckConfig, checkedText, type CheckedText } from './checked-text';

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
