import type { JsonObject } from '../../kernel';

export const PROGRESS_MODES = ['comment', 'chunk', 'status', 'off'] as const;
export type ProgressMode = (typeof PROGRESS_MODES)[number];

export const MAX_MESSAGES = 10_000;

const nullable = (type: string, limits: JsonObject = {}): JsonObject => ({ type: [type, 'null'], ...limits });

const part: JsonObject = {
  type: 'object',
  required: ['type'],
  properties: { type: { type: 'string' } },
  allOf: [
    {
      if: { properties: { type: { const: 'text' } }, required: ['type'] },
      then: { required: ['text'], properties: { type: {}, text: { type: 'string' } } },
    },
    {
      if: { properties: { type: { const: 'image_url' } }, required: ['type'] },
      then: {
        required: ['image_url'],
        properties: {
          type: {},
          image_url: { type: 'object', required: ['url'], properties: { url: { type: 'string' } } },
        },
      },
    },
  ],
};

const toolCall: JsonObject = {
  type: 'object',
  required: ['id', 'function'],
  properties: {
    id: { type: 'string' },
    function: {
      type: 'object',
      required: ['name', 'arguments'],
      properties: { name: { type: 'string' }, arguments: { type: 'string' } },
    },
  },
};

export const messageSchema: JsonObject = {
  type: 'object',
  required: ['role'],
  properties: {
    role: { enum: ['system', 'developer', 'user', 'assistant', 'tool', 'function'] },
    content: { type: ['string', 'array', 'null'], items: part },
    name: nullable('string'),
    tool_call_id: nullable('string'),
    tool_calls: nullable('array', { items: toolCall }),
  },
  if: { required: ['role'], properties: { role: { enum: ['system', 'developer', 'user'] } } },
  then: { required: ['content'], properties: { role: {}, content: { not: { type: 'null' } } } },
};

/**
 * The members of OpenAI's chat completion body that this service reads. Unknown members are passed on. The vendor checks
 * the ranges of sampling parameters, which differ between vendors.
 */
export const chatRequestSchema: JsonObject = {
  type: 'object',
  required: ['messages'],
  properties: {
    model: { type: 'string', maxLength: 256 },
    messages: { type: 'array', minItems: 1, maxItems: MAX_MESSAGES, items: messageSchema },
    stream: nullable('boolean'),
    stream_options: nullable('object', {
      properties: { include_usage: nullable('boolean'), progress: { enum: [...PROGRESS_MODES, null] } },
    }),
    verbose: nullable('boolean'),
    temperature: nullable('number'),
    top_p: nullable('number'),
    n: nullable('integer', { minimum: 1, maximum: 128 }),
    max_tokens: nullable('integer', { minimum: 1 }),
    max_completion_tokens: nullable('integer', { minimum: 1 }),
    presence_penalty: nullable('number'),
    frequency_penalty: nullable('number'),
    seed: nullable('integer'),
    user: nullable('string'),
    metadata: nullable('object'),
    tools: nullable('array', { items: { type: 'object' } }),
    response_format: nullable('object'),
  },
};
