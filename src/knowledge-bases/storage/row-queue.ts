import type { Transaction, Transactions } from '../../infrastructure/database';
import type { JobHandler, JobQueue, NewJob, Queue } from '../../infrastructure/jobs';

/** A row of one organization. */
export interface RowRef {
  readonly organizationId: string;
  readonly id: string;
}

type QueuedRow = RowRef & Pick<NewJob<RowRef>, 'priority'>;

const toJob = ({ organizationId, id, priority = 0 }: QueuedRow): NewJob<RowRef> => ({
  key: id,
  data: { organizationId, id },
  priority,
});

/** A queue of jobs that are each about one row. The row says what is to do, so an extra job does no harm. */
export class RowQueue {
  constructor(
    private readonly jobs: JobQueue,
    private readonly queue: Queue<RowRef>,
  ) {}

  handle(handler: JobHandler<RowRef>): void {
    this.jobs.declare(this.queue, handler);
  }

  /** Part of the transaction that makes the work necessary. Call `wake` after the commit. */
  send(rows: readonly QueuedRow[], tx: Transaction): Promise<void> {
    return this.jobs.send(this.queue, rows.map(toJob), tx);
  }

  wake(): void {
    this.jobs.wake(this.queue);
  }

  /** Enqueues the rows that have no waiting or running job. Returns their number. */
  async repair<Row extends RowRef>(
    rows: readonly Row[],
    transactions: Transactions,
    prioritized: (lost: readonly Row[]) => readonly QueuedRow[] = (lost) => lost,
  ): Promise<number> {
    const ids = rows.map(({ id }) => id);
    const lost = new Set(await this.jobs.withoutJob(this.queue, ids));
    if (lost.size === 0) return 0;
    await transactions.run((tx) => this.send(prioritized(rows.filter(({ id }) => lost.has(id))), tx));
    this.wake();
    return lost.size;
  }
}
