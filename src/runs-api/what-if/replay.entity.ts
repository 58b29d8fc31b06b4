import type { Caller } from '@bellwether/kernel';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ReplayWish } from '../replays/replay-definition';
import type { ReplayItem } from './what-if.types';

/** Repetitions of many runs. */
@Entity('replays')
@Index('replays_user_idx', ['organizationId', 'userId', 'id'])
export class ReplayEntity {
  /** UUID version 7. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'replays_pk' })
  id!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('jsonb')
  caller!: Caller;

  @Column('jsonb')
  wish!: ReplayWish;

  @Column('jsonb')
  items!: readonly ReplayItem[];

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'cancelled_at', nullable: true })
  cancelledAt!: Date | null;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: Date | null;
}
