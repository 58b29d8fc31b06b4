import { chatRequestSchema } from './chat-request.schema';

const example = { model: 'lamb_assistant.1', messages: [{ role: 'user', content: 'What is osmosis?' }] };

/** The validation schema for OpenAPI. `model` is required when the path names no assistant. */
export const chatBodySchema = (withModel: boolean): Record<string, unknown> => ({
  ...chatRequestSchema,
  ...(withModel ? { required: ['model', 'messages'] } : {}),
  additionalProperties: true,
  example: withModel ? example : { messages: example.messages },
});

/** Body of a run of a definition that is not saved. */
export const draftBodySchema = (definition: Record<string, unknown>): Record<string, unknown> => {
  const { properties, ...schema } = chatRequestSchema;
  return {
    ...schema,
    required: ['definition', 'messages'],
    properties: {
      definition,
      assistant_id: {
        type: ['integer', 'null'],
        minimum: 1,
        description: 'The assistant that the definition is a draft of. The caller must be allowed to edit it.',
      },
      ...(properties as Record<string, unknown>),
    },
    additionalProperties: true,
    example: {
      definition: { prompt_template: 'Question: {user_input}', metadata: { connector: 'auto' } },
      messages: example.messages,
    },
  };
};
