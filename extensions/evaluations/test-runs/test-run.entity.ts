import type { Caller } from '@bellwether/kernel';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** Tests of one version of an assistant, asked in the background. */
@Entity('test_runs')
@Index('test_runs_assistant_idx', ['organizationId', 'assistantId', 'id'])
export class TestRunEntity {
  /** UUID version 7. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'test_runs_pk' })
  id!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('integer', { name: 'assistant_id' })
  assistantId!: number;

  @Column('integer', { name: 'assistant_version' })
  assistantVersion!: number;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('jsonb')
  caller!: Caller;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'cancelled_at', nullable: true })
  cancelledAt!: Date | null;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: Date | null;
}
