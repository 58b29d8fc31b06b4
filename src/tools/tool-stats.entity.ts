import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * The table's shape, for the comparison with the migrations; rows are read and written in SQL.
 * @public
 */
@Entity('tool_stats')
export class ToolStatsEntity {
  @PrimaryColumn('uuid', { name: 'organization_id', primaryKeyConstraintName: 'tool_stats_pk' })
  organizationId!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'tool_stats_pk' })
  plugin!: string;

  @PrimaryColumn('date', { primaryKeyConstraintName: 'tool_stats_pk' })
  day!: string;

  @Column('integer')
  calls!: number;

  @Column('integer')
  failures!: number;

  @Column('integer')
  retries!: number;

  @Column('integer', { name: 'cache_hits' })
  cacheHits!: number;

  @Column('integer')
  fallbacks!: number;

  @Column('double precision', { name: 'duration_sum' })
  durationSum!: number;

  @Column('integer', { array: true })
  durations!: number[];

  @Column('double precision', { name: 'confidence_sum' })
  confidenceSum!: number;

  @Column('integer')
  confidences!: number;
}
