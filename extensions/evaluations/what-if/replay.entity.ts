import type { Caller } from '@bellwether/kernel';
import { Column, Entity, Index } from 'typeorm';
import { DatedEntity } from '../../../src/infrastructure/database';
import type { ReplayWish } from '../replays/replay-definition';
import type { ReplayItem } from './what-if.types';

/** Repetitions of many runs. */
@Entity('replays')
@Index('replays_user_idx', ['organizationId', 'userId', 'id'])
export class ReplayEntity extends DatedEntity {
  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('jsonb')
  caller!: Caller;

  @Column('jsonb')
  wish!: ReplayWish;

  @Column('jsonb')
  items!: readonly ReplayItem[];

  @Column('timestamptz', { name: 'cancelled_at', nullable: true })
  cancelledAt!: Date | null;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: Date | null;
}
