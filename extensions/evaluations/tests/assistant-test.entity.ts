import { Column, Entity, Index } from 'typeorm';
import { VersionedEntity } from '../../../src/infrastructure/database';
import type { StatedExpectation } from '../expectations/expectation-catalogue';

/** One question of a conversation and what its answer must be like. */
export interface TestTurn {
  readonly question: string;
  readonly expectations: readonly StatedExpectation[];
}

/**
 * A question, or a conversation, that an assistant must answer in a certain way. Results of an older version of the test do
 * not count at the gate.
 */
@Entity('assistant_tests')
@Index('assistant_tests_assistant_idx', ['organizationId', 'assistantId', 'id'])
export class AssistantTestEntity extends VersionedEntity {
  @Column('integer', { name: 'assistant_id' })
  assistantId!: number;

  @Column('text')
  name!: string;

  @Column('jsonb')
  turns!: readonly TestTurn[];
}
