import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { KnowledgeBaseEntity } from './knowledge-base.entity';

@Entity('knowledge_base_shares')
@Index('knowledge_base_shares_user_idx', ['userId'])
export class KnowledgeBaseShareEntity {
  @ForeignKey(() => KnowledgeBaseEntity, { name: 'knowledge_base_shares_knowledge_base_fk', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { name: 'knowledge_base_id' })
  knowledgeBaseId!: string;

  @PrimaryColumn('uuid', { name: 'user_id' })
  userId!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}
