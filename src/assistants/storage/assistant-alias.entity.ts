import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { AssistantEntity } from './assistant.entity';

/** The number that an imported assistant has at its source. It may be the id of another assistant here. */
@Entity('assistant_aliases')
@Index('assistant_aliases_assistant_idx', ['assistantId'])
@Index('assistant_aliases_number_idx', ['organizationId', 'number'])
export class AssistantAliasEntity {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  /** Name of the installation that it came from. */
  @PrimaryColumn('text')
  source!: string;

  @PrimaryColumn('integer')
  number!: number;

  @ForeignKey(() => AssistantEntity, { name: 'assistant_aliases_assistant_fk', onDelete: 'CASCADE' })
  @Column('integer', { name: 'assistant_id' })
  assistantId!: number;
}
