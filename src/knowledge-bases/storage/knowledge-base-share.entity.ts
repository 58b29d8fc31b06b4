import { Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { KeyedEntity } from '../../infrastructure/database';
import { KnowledgeBaseEntity } from './knowledge-base.entity';

@Entity('knowledge_base_shares')
@Index('knowledge_base_shares_user_idx', ['userId'])
export class KnowledgeBaseShareEntity extends KeyedEntity {
  @ForeignKey(() => KnowledgeBaseEntity, { name: 'knowledge_base_shares_knowledge_base_fk', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { name: 'knowledge_base_id' })
  knowledgeBaseId!: string;

  @PrimaryColumn('uuid', { name: 'user_id' })
  userId!: string;
}
