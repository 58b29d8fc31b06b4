import { type JsonObject, strictObject } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import {
  type ConfigGap,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  ToolFailure,
  type ToolInput,
  type ToolOutput,
} from '../contract';

export interface AssistantToolConfig extends JsonObject {
  readonly assistant_id: number | null;
}

/** Asks another assistant the question before the model is asked. */
@Injectable()
export class AssistantTool implements Tool<AssistantToolConfig> {
  readonly definition: ToolDefinition = DEFINITION;
  /** A whole run of another assistant, with tools and a model of its own. */
  readonly timeoutMs = 120_000;
  /** Its own requests are repeated where that helps; a run that was paid for is not begun again. */
  readonly retries = 0;

  async run(
    { assistant_id: id }: AssistantToolConfig,
    { query }: ToolInput,
    context: ToolContext,
  ): Promise<ToolOutput> {
    if (id === null) throw new ToolFailure('tool.config_incomplete', NO_ASSISTANT);
    if (query.trim() === '') return { content: '', sources: [], confidence: null };
    if (context.assistants === null) throw new ToolFailure('tool.unavailable', 'tool_unavailable');
    context.progress(`asking assistant ${id}`);
    // Its tokens stand in the record of its own run, and the budget that both share has paid for them.
    const { text, sources, citations } = await context.assistants.run(id, query, context.signal);
    return { content: text, sources, confidence: null, ...(citations === undefined ? {} : { citations }) };
  }

  gaps({ assistant_id: id }: AssistantToolConfig): Promise<readonly ConfigGap[]> {
    const gap: ConfigGap = { path: 'assistant_id', code: 'tool.config_incomplete', message: NO_ASSISTANT };
    return Promise.resolve(id === null ? [gap] : []);
  }
}

const NO_ASSISTANT = 'no assistant is chosen';

const DEFINITION: ToolDefinition = {
  name: 'assistant',
  aliases: [],
  display_name: 'Assistant',
  description: 'Asks another assistant the question and puts its answer into the prompt.',
  texts: {
    es: { name: 'Asistente', about: 'Plantea la pregunta a otro asistente e incluye su respuesta en el prompt.' },
    ca: { name: 'Assistent', about: 'Fa la pregunta a un altre assistent i n’inclou la resposta al prompt.' },
    eu: {
      name: 'Laguntzailea',
      about: 'Galdera beste laguntzaile bati egiten dio, eta haren erantzuna promptean sartzen du.',
    },
  },
  placeholder: 'tool_result',
  category: 'assistant',
  version: '1.0.0',
  kind: 'pipeline',
  icon: 'message-square',
  allow_multiple: true,
  config_schema: strictObject({
    assistant_id: {
      type: ['integer', 'null'],
      title: 'Assistant',
      description: 'The assistant to ask. One that calls functions itself cannot be chosen.',
      minimum: 1,
      maximum: 2_147_483_647,
      default: null,
      'x-reference': 'assistant',
    },
  }),
  parameters: {},
  examples: [
    {
      query: 'Is my thesis statement clear?',
      parameters: { assistant_id: 7 },
      expected_result: "The other assistant's answer to the same question.",
    },
  ],
  capabilities: ['delegation'],
  limitations: ['An assistant that calls functions itself cannot be asked.', 'It sees the last question only.'],
  cost: { unit: 'tokens', estimate: 2_000 },
};
