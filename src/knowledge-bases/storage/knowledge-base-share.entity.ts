import { Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { KeyedEntity } from '../../infrastructure/database';
import { KnowledgeBaseEntity } from './knowledge-base.entity';

/** Counts for everybody who is in the group when access is decided. */
@Entity('knowledge_base_group_shares')
@Index('knowledge_base_group_shares_group_idx', ['groupId'])
export class KnowledgeBaseGroupShareEntity extends KeyedEntity {
  @ForeignKey(() => KnowledgeBaseEntity, { name: 'knowledge_base_group_shares_knowledge_base_fk', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { name: 'knowledge_base_id' })
  knowledgeBaseId!: string;

  @PrimaryColumn('uuid', { name: 'group_id' })
  groupId!: string;
}

@Entity('knowledge_base_shares')
@Index('knowledge_base_shares_user_idx', ['userId'])
export class KnowledgeBaseShareEntity extends KeyedEntity {
  @ForeignKey(() => KnowledgeBaseEntity, { name: 'knowledge_base_shares_knowledge_base_fk', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { name: 'knowledge_base_id' })
  knowledgeBaseId!: string;

  @PrimaryColumn('uuid', { name: 'user_id' })
  userId!: string;
}
