import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { uuidv7 } from '../../kernel';
import { acrossOrganizations, Transactions } from '../../infrastructure/database';
import { JobQueue, RepeatedWork, type SweepContext } from '../../infrastructure/jobs';
import { UsageRepository } from '../usage/usage.repository';
import { dayOf, NO_USAGE } from '../usage/usage.types';
import { LimitWarnings } from './limit-warnings';
import { type ExpiredReservation, ReservationRepository } from './reservation.repository';
import { Reservations } from './reservations.service';

const SWEEP_SHARE = 0.4;
const BEAT_SHARE = 1 / 6;
const FORGET_MS = 10 * 60_000;
const AGAIN_MS = 1_000;

/**
 * Renews the leases of this process's reservations, repeats their unanswered settlements, and settles those of dead
 * processes at their estimate: the vendor may have been asked, and a limit that forgets a bill is no limit.
 */
@Injectable()
export class ReservationKeeper implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Limits');
  private readonly background = new RepeatedWork((error) =>
    this.logger.warn({ msg: 'reservations could not be renewed or settled, trying again', err: error }),
  );

  constructor(
    private readonly reservations: Reservations,
    private readonly repository: ReservationRepository,
    private readonly days: UsageRepository,
    private readonly transactions: Transactions,
    private readonly warnings: LimitWarnings,
    jobs: JobQueue,
  ) {
    const leaseMs = reservations.leaseSeconds * 1_000;
    jobs.sweep(leaseMs * SWEEP_SHARE, (context) => this.sweep(context));
    jobs.sweep(FORGET_MS, ({ first }) => (first ? Promise.resolve() : this.repository.forget()));
    this.background.every(leaseMs * BEAT_SHARE, () => this.beat());
    this.background.every(AGAIN_MS, () => this.reservations.settleAgain());
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.background.stop();
    await this.background.settled();
    await acrossOrganizations('jobs', () => this.reservations.settleAgain()).catch((error: unknown) =>
      this.logger.warn({ msg: 'runs are not settled, the next start charges their estimates', err: error }),
    );
  }

  /** At the first start of a process that has the database to itself, every reservation is a dead process's. */
  async sweep({ alone, first }: SweepContext): Promise<void> {
    const all = alone && first;
    const own = new Set(this.reservations.open);
    const expired = (await this.repository.expired(all)).filter(({ id }) => !own.has(id));
    for (const reservation of expired) await this.charge(reservation, all);
    if (expired.length > 0)
      this.logger.warn({ msg: 'reservations of dead processes were charged', count: expired.length });
  }

  private async beat(): Promise<void> {
    const { open, workerId, leaseSeconds } = this.reservations;
    if (open.length > 0) await this.repository.beat(workerId, leaseSeconds, open);
  }

  private async charge({ id, organizationId, items, run }: ExpiredReservation, all: boolean): Promise<void> {
    const spent = items.map((item) => ({ ...item, spent: item.charged }));
    const { subject, provider, model, promptTokens, completionTokens, costMicros } = run;
    const figures = { ...NO_USAGE, promptTokens, completionTokens, costMicros, runs: 1, failed: 1 };
    const calls = { modelCalls: 1, estimatedCalls: 1 };
    const usage = { ...subject, ...figures, ...calls, day: dayOf(new Date()), provider, model };
    const warnings = await this.transactions.run(async (tx) => {
      const settled = await this.repository.settle({ id, organizationId }, spent, all ? 'any' : 'expired', tx);
      // Not when its run or another process settled it in the meantime.
      if (settled.freed) await this.days.add(uuidv7(), [usage], tx);
      return settled.warnings;
    });
    await this.warnings.tell(warnings);
  }
}
