import { type JsonObject, strictObject } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import {
  type ConfigGap,
  type FunctionContext,
  type FunctionDeclaration,
  type FunctionOutput,
  type FunctionPlugin,
  type OfferContext,
  type ToolDefinition,
  ToolFailure,
} from '../contract';

interface AssistantFunctionConfig extends JsonObject {
  readonly assistant_id: number | null;
  /** Name for the model, instead of the target's own name and description. */
  readonly name: string | null;
  readonly description: string | null;
}

const DESCRIPTION_CHARS = 1_000;

/** `call_assistant_{id}` runs another assistant. The `AssistantAbility` that runs it checks access. */
@Injectable()
export class AssistantFunction implements FunctionPlugin<AssistantFunctionConfig> {
  readonly definition: ToolDefinition = DEFINITION;
  /** Long, because a call is a whole run with its own tools and model. */
  readonly timeoutMs = 120_000;

  async offer(config: AssistantFunctionConfig, { assistants }: OfferContext): Promise<readonly FunctionDeclaration[]> {
    const { assistant_id: id } = config;
    if (id === null || assistants === null) return [];
    const offered = await assistants.offer(id);
    return offered === null ? [] : [declarationOf(id, config, offered)];
  }

  async call(
    _: string,
    args: JsonObject,
    { assistant_id: id }: AssistantFunctionConfig,
    { assistants, progress, signal }: FunctionContext,
  ): Promise<FunctionOutput> {
    const { query } = args;
    if (typeof query !== 'string' || query.trim() === '')
      throw new ToolFailure('tool.arguments_invalid', 'query must hold a question');
    if (id === null || assistants === null) throw new ToolFailure('tool.unavailable', 'tool_unavailable');
    progress(`asking assistant ${id}`);
    // No usage here: the nested run's own record holds its tokens.
    const { text, sources, citations } = await assistants.run(id, query, signal);
    return { content: text, sources, ...(citations === undefined ? {} : { citations }) };
  }

  gaps({ assistant_id: id }: AssistantFunctionConfig): Promise<readonly ConfigGap[]> {
    const message = 'no assistant is chosen';
    return Promise.resolve(id === null ? [{ path: 'assistant_id', code: 'tool.config_incomplete', message }] : []);
  }
}

function declarationOf(
  id: number,
  config: AssistantFunctionConfig,
  offered: { readonly name: string; readonly description: string | null },
): FunctionDeclaration {
  const label = textOr(config.name, offered.name);
  const description = textOr(config.description, offered.description ?? '');
  return {
    name: `call_assistant_${id}`,
    description: [`Asks the assistant "${label}".`, description]
      .join(' ')
      .trim()
      .slice(0, DESCRIPTION_CHARS)
      .toWellFormed(),
    parameters: strictObject({
      query: {
        type: 'string',
        minLength: 1,
        description: 'The question for the assistant, with everything it needs to know: it sees nothing else.',
      },
    }),
  };
}

const textOr = (own: string | null, other: string): string => (own === null || own.trim() === '' ? other : own.trim());

const DEFINITION: ToolDefinition = {
  name: 'assistant',
  aliases: [],
  display_name: 'Assistant',
  description: 'Lets the model ask another assistant, which answers with its own tools and prompts.',
  texts: {
    es: {
      name: 'Asistente',
      about: 'El modelo puede preguntar a otro asistente, que responde con sus propias herramientas y prompts.',
    },
    ca: {
      name: 'Assistent',
      about: 'El model pot preguntar a un altre assistent, que respon amb les seves eines i prompts.',
    },
    eu: {
      name: 'Laguntzailea',
      about: 'Ereduak beste laguntzaile bati galde diezaioke, eta hark bere tresna eta promptekin erantzungo du.',
    },
  },
  placeholder: null,
  category: 'assistant',
  version: '1.0.0',
  kind: 'function',
  icon: 'message-square',
  allow_multiple: true,
  config_schema: {
    type: 'object',
    properties: {
      assistant_id: {
        type: ['integer', 'null'],
        title: 'Assistant',
        description: 'The assistant to ask. One that calls functions itself cannot be chosen.',
        minimum: 1,
        maximum: 2_147_483_647,
        default: null,
        'x-reference': 'assistant',
      },
      name: {
        type: ['string', 'null'],
        title: 'Label',
        description: 'The name that the model sees. Empty for the name of the assistant.',
        maxLength: 200,
        default: null,
      },
      description: {
        type: ['string', 'null'],
        title: 'When to ask it',
        description: 'Tells the model when to ask it. Empty for the description of the assistant.',
        maxLength: 1_000,
        default: null,
      },
    },
    required: ['assistant_id'],
    additionalProperties: false,
  },
  parameters: {},
  examples: [
    {
      query: 'What does the statistics tutor say about p-values?',
      parameters: { assistant_id: 7, name: 'Statistics tutor', description: 'Knows the statistics course.' },
      expected_result: "The statistics tutor's answer to the question that the model asked.",
    },
  ],
  capabilities: ['delegation'],
  limitations: ['An assistant that calls functions itself cannot be asked.', 'It does not see the conversation.'],
  cost: { unit: 'tokens', estimate: 2_000 },
};
