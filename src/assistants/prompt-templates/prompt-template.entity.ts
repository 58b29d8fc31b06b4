import { Check, Column, CreateDateColumn, Entity, Index, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import type { AssistantType } from '../definition';

@Entity('prompt_templates')
@Check('prompt_templates_type_ck', `"type" IN ('classic', 'multi_tool')`)
@Index('prompt_templates_owner_idx', ['organizationId', 'ownerId'])
export class PromptTemplateEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'prompt_templates_pk' })
  id!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

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

  /** Counts what people changed, from 1. */
  @Column('integer', { default: 1 })
  version!: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;
}
