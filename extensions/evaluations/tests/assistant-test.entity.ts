import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import type { StatedExpectation } from '../expectations/expectation-catalogue';

/** One question of a conversation and what its answer must be like. */
export interface TestTurn {
  readonly question: string;
  readonly expectations: readonly StatedExpectation[];
}

/** A question, or a conversation, that an assistant must answer in a certain way. */
@Entity('assistant_tests')
@Index('assistant_tests_assistant_idx', ['organizationId', 'assistantId', 'id'])
export class AssistantTestEntity {
  /** UUID version 7. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'assistant_tests_pk' })
  id!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('integer', { name: 'assistant_id' })
  assistantId!: number;

  @Column('text')
  name!: string;

  @Column('jsonb')
  turns!: readonly TestTurn[];

  /** Counts changes, from 1. Results of an older version of the test do not count at the gate. */
  @Column('integer', { default: 1 })
  version!: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;
}
