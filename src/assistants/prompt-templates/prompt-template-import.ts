import { Injectable } from '@nestjs/common';
import { TableImport } from '../../infrastructure/database';
import { PromptTemplateEntity } from './prompt-template.entity';

export type ImportedPromptTemplate = Readonly<
  Pick<PromptTemplateEntity, 'ownerId' | 'type' | 'name' | 'description' | 'systemPrompt' | 'promptTemplate' | 'shared'>
>;

@Injectable()
export class PromptTemplateImport extends TableImport<PromptTemplateEntity, ImportedPromptTemplate> {
  constructor() {
    super({
      entity: PromptTemplateEntity,
      idColumn: 'id',
      keyColumns: ['ownerId', 'name'],
      isVersioned: true,
      toRow: (value) => value,
      toValue: ({ ownerId, type, name, description, systemPrompt, promptTemplate, shared }) => ({
        ownerId,
        type,
        name,
        description,
        systemPrompt,
        promptTemplate,
        shared,
      }),
    });
  }
}
