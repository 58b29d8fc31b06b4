import { Column, Entity, ForeignKey, Unique } from 'typeorm';
import { DatedEntity } from '../../../src/infrastructure/database';
import { KnowledgeBaseEntity } from '../../../src/knowledge-bases';

/** Whether a passage answers a question, as the owner of the knowledge base judged it. */
@Entity('kb_judgements')
@Unique('kb_judgements_passage_uq', ['knowledgeBaseId', 'questionHash', 'passageHash'])
export class JudgementEntity extends DatedEntity {
  @ForeignKey(() => KnowledgeBaseEntity, { name: 'kb_judgements_knowledge_base_fk', onDelete: 'CASCADE' })
  @Column('uuid', { name: 'knowledge_base_id' })
  knowledgeBaseId!: string;

  @Column('text')
  question!: string;

  @Column('text', { name: 'question_hash' })
  questionHash!: string;

  @Column('text', { name: 'passage_hash' })
  passageHash!: string;

  /** MD5 of the text of each chunk that the passage consists of: it holds in a new index with the same texts. */
  @Column('text', { array: true })
  chunks!: string[];

  @Column('boolean', { name: 'is_right' })
  isRight!: boolean;

  /** Name of the document's file when it was judged. */
  @Column('text')
  filename!: string;

  /** Beginning of the passage. */
  @Column('text')
  excerpt!: string;
}
