import type { Caller } from '@bellwether/kernel';
import { Column, Entity, Index } from 'typeorm';
import { DatedEntity } from '../../../src/infrastructure/database';

/** Tests of one version of an assistant, asked in the background. */
@Entity('test_runs')
@Index('test_runs_assistant_idx', ['organizationId', 'assistantId', 'id'])
export class TestRunEntity extends DatedEntity {
  @Column('integer', { name: 'assistant_id' })
  assistantId!: number;

  @Column('integer', { name: 'assistant_version' })
  assistantVersion!: number;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('jsonb')
  caller!: Caller;

  @Column('timestamptz', { name: 'cancelled_at', nullable: true })
  cancelledAt!: Date | null;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: Date | null;
}
