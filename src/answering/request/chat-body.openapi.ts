import { chatRequestSchema } from './chat-request.schema';

const example = { model: 'lamb_assistant.1', messages: [{ role: 'user', content: 'What is osmosis?' }] };

/** The validation schema for OpenAPI. `model` is required when the path names no assistant. */
export const chatBodySchema = (withModel: boolean): Record<string, unknown> => ({
  ...chatRequestSchema,
  ...(withModel ? { required: ['model', 'messages'] } : {}),
  additionalProperties: true,
  example: withModel ? example : { messages: example.messages },
});
