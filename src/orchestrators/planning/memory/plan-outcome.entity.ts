import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * Declares the columns so that tests can compare them with the migrations. Rows are read and written in SQL.
 * @public
 */
@Entity('plan_outcomes')
@Index('plan_outcomes_assistant_idx', ['assistantId'])
export class PlanOutcomeEntity {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn('integer', { name: 'assistant_id' })
  assistantId!: number;

  @PrimaryColumn('text', { name: 'query_class' })
  queryClass!: string;

  @PrimaryColumn('text')
  tools!: string;

  @PrimaryColumn('text')
  planner!: string;

  @PrimaryColumn('text')
  arm!: string;

  @PrimaryColumn('date')
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
