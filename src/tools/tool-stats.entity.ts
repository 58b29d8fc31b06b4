import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * The table's shape, for the comparison with the migrations; rows are read and written in SQL.
 * @public
 */
@Entity('tool_stats')
export class ToolStatsEntity {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn('text')
  plugin!: string;

  @PrimaryColumn('date')
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
