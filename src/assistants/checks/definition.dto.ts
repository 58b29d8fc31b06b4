import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Allow, registerDecorator } from 'class-validator';
import { assertHouseJson, IsName, MayBeOmitted, Text, Between } from '../../infrastructure/http';

/** Longest prompt or template, in UTF-16 units. */
export const MAX_PROMPT = 400_000;
const MAX_COLLECTION = 200;
const METADATA_EXAMPLE = {
  assistant_type: 'multi_tool',
  orchestrator: 'sequential',
  connector: 'auto',
  tools: [
    { plugin: 'simple_rag', placeholder: '1_context', enabled: true, config: { collections: ['biology'], top_k: 3 } },
  ],
};

/** The value of the body itself: the transformer's copy loses keys such as `constructor`. A JSON text is checked as a body is. */
function metadataAsSent({ obj, key }: { obj: Record<string, unknown>; key: string }): unknown {
  const value = obj[key];
  if (typeof value === 'string') assertHouseJson(value, 'metadata');
  return value;
}

const isCollection = (value: unknown): boolean =>
  typeof value === 'string' && value.trim() !== '' && value.length <= MAX_COLLECTION && !value.includes(',');

const IsCollections = (): PropertyDecorator => (target, propertyName) =>
  registerDecorator({
    name: 'isCollections',
    target: target.constructor,
    propertyName: String(propertyName),
    validator: {
      validate: (value: unknown) =>
        typeof value === 'string' ? value.length <= 5_000 : Array.isArray(value) && value.every(isCollection),
      defaultMessage: () => 'RAG_collections must be a list of ids, or one string with commas between them',
    },
  });

class DefinitionDto {
  @MayBeOmitted() @Text(5_000) description?: string;

  @MayBeOmitted() @Text(MAX_PROMPT) system_prompt?: string;

  /** A multi-tool assistant without one gets the automatic template: each tool's slot under its label, then the question. */
  @MayBeOmitted()
  @Text(MAX_PROMPT, { example: 'Course text: {1_context}\n\nQuestion: {user_input}' })
  prompt_template?: string;

  /** An object, or a JSON string that holds one. Unknown keys are kept. docs/reference/metadata.md */
  @ApiPropertyOptional({
    oneOf: [{ type: 'object', additionalProperties: true }, { type: 'string' }],
    example: METADATA_EXAMPLE,
  })
  @Allow()
  @Transform(metadataAsSent)
  metadata?: unknown;

  /** Knowledge bases of a classic assistant. */
  @ApiPropertyOptional({ oneOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }] })
  @MayBeOmitted()
  @IsCollections()
  RAG_collections?: string | string[];

  /** Passages that a classic assistant retrieves. */
  @MayBeOmitted() @Between(1, 100) RAG_Top_k?: number;
}

export class CreateAssistantDto extends DefinitionDto {
  @IsName({ example: 'Essay feedback' }) name!: string;
}
