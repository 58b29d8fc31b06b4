import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Copied for each column: TypeORM writes into what it is given. */
const KEY = { primaryKeyConstraintName: 'plan_outcomes_pk' };

/**
 * Declares the columns so that tests can compare them with the migrations. Rows are read and written in SQL.
 * @public
 */
@Entity('plan_outcomes')
@Index('plan_outcomes_assistant_idx', ['assistantId'])
export class PlanOutcomeEntity {
  @PrimaryColumn('uuid', { name: 'organization_id', ...KEY })
  organizationId!: string;

  @PrimaryColumn('integer', { name: 'assistant_id', ...KEY })
  assistantId!: number;

  @PrimaryColumn('text', { name: 'query_class', ...KEY })
  queryClass!: string;

  @PrimaryColumn('text', { ...KEY })
  tools!: string;

  @PrimaryColumn('text', { ...KEY })
  planner!: string;

  @PrimaryColumn('text', { ...KEY })
  arm!: string;

  @PrimaryColumn('date', { ...KEY })
  day!: string;

  @Column('integer')
  plans!: number;

  @Column('integer')
  steps!: number;

  @Column('integer', { name: 'failed_steps' })
  failedSteps!: number;

  @Column('double precision', { name: 'duration_sum' })
  durationSum!: number;

  @Column('double precision', { name: 'planning_sum' })
  planningSum!: number;

  @Column('double precision')
  tokens!: number;

  @Column('double precision', { name: 'confidence_sum' })
  confidenceSum!: number;

  @Column('integer')
  confidences!: number;
}
