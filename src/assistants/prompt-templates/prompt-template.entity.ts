import { Check, Column, Entity, Index } from 'typeorm';
import { VersionedEntity } from '../../infrastructure/database';
import type { AssistantType } from '../definition';

@Entity('prompt_templates')
@Check('prompt_templates_type_ck', `"type" IN ('classic', 'multi_tool')`)
@Index('prompt_templates_owner_idx', ['organizationId', 'ownerId'])
export class PromptTemplateEntity extends VersionedEntity {
  @Column('uuid', { name: 'owner_id' })
  ownerId!: string;

  /** The type of assistant that its slots fit. */
  @Column('text')
  type!: AssistantType;

  @Column('text')
  name!: string;

  @Column('text', { default: '' })
  description!: string;

  @Column('text', { name: 'system_prompt', default: '' })
  systemPrompt!: string;

  @Column('text', { name: 'prompt_template', default: '' })
  promptTemplate!: string;

  /** Readable by every member of the organization. */
  @Column('boolean', { default: false })
  shared!: boolean;
}
