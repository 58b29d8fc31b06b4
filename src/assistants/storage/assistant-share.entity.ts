import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { KeyedEntity } from '../../infrastructure/database';
import { AssistantEntity } from './assistant.entity';

/** Counts for everybody who is in the group when access is decided. */
@Entity('assistant_group_shares')
@Check('assistant_group_shares_access_ck', `"access" IN ('edit', 'use')`)
@Index('assistant_group_shares_group_idx', ['groupId'])
export class AssistantGroupShareEntity extends KeyedEntity {
  @ForeignKey(() => AssistantEntity, { name: 'assistant_group_shares_assistant_fk', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { name: 'assistant_id' })
  assistantId!: number;

  @PrimaryColumn('uuid', { name: 'group_id' })
  groupId!: string;

  @Column('text')
  access!: 'edit' | 'use';
}

@Entity('assistant_shares')
@Check('assistant_shares_access_ck', `"access" IN ('edit', 'use')`)
@Index('assistant_shares_user_idx', ['organizationId', 'userId'])
export class AssistantShareEntity extends KeyedEntity {
  @ForeignKey(() => AssistantEntity, { name: 'assistant_shares_assistant_fk', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { name: 'assistant_id' })
  assistantId!: number;

  @PrimaryColumn('uuid', { name: 'user_id' })
  userId!: string;

  @Column('text')
  access!: 'edit' | 'use';
}
