import type { ApiResponseOptions } from '@nestjs/swagger';

type Schema = Record<string, unknown>;

const choice: Schema = {
  type: 'object',
  required: ['index', 'message', 'finish_reason'],
  properties: {
    index: { type: 'integer' },
    message: {
      type: 'object',
      required: ['role', 'content'],
      properties: { role: { type: 'string' }, content: { type: ['string', 'null'] } },
      additionalProperties: true,
    },
    finish_reason: { type: ['string', 'null'] },
  },
  additionalProperties: true,
};

const completion: Schema = {
  type: 'object',
  required: ['id', 'object', 'created', 'model', 'choices', 'run_id', 'sources'],
  properties: {
    id: { type: 'string' },
    object: { type: 'string' },
    created: { type: 'integer' },
    model: { type: 'string', description: "The vendor's name of the model" },
    choices: { type: 'array', items: choice },
    usage: { type: ['object', 'null'], additionalProperties: true },
    run_id: { type: 'string', format: 'uuid' },
    sources: { type: 'array', items: { type: 'object', additionalProperties: true } },
  },
  additionalProperties: true,
};

export const completionSchema: ApiResponseOptions = {
  status: 200,
  description: 'One JSON body, or with `stream: true` chunks and then `data: [DONE]` (docs/reference/events.md)',
  headers: { 'X-Run-Id': { description: 'Id of the run', schema: { type: 'string', format: 'uuid' } } },
  content: {
    'application/json': { schema: completion },
    'text/event-stream': { schema: { type: 'string' } },
  },
};
