import { Injectable, Logger } from '@nestjs/common';
import { MetricRegistry, gauge } from '../infrastructure/telemetry';
import type { MeasuredFigures } from './figures.types';
import { InstallationStatisticsRepository } from './installation-statistics.repository';

export const DATABASE_SIZE = gauge({
  name: 'bellwether_database_size_bytes',
  help: 'Size of the database with all tables and indexes. The same in every process.',
  labels: [],
});
export const TABLE_SIZE = gauge({
  name: 'bellwether_database_table_size_bytes',
  help: 'Size of the largest tables, and of their indexes. The same in every process.',
  labels: ['table', 'part'],
});
export const QUEUE_JOBS = gauge({
  name: 'bellwether_queue_jobs',
  help: 'Jobs by queue and state: waiting, delayed until a retry, active, or failed within the last hour. The same in every process.',
  labels: ['queue', 'state'],
});
export const QUEUE_AGE = gauge({
  name: 'bellwether_queue_oldest_job_age_seconds',
  help: 'Time that the oldest waiting job of a queue could have begun ago. The same in every process.',
  labels: ['queue'],
});

const STATES = ['waiting', 'delayed', 'active', 'failed'] as const;

/** Seconds between two measurements, whatever the number of processes and scrapers. */
const INTERVAL_S = 30;
/** A process reads what another one measured at most this often. */
const READ_MS = 10_000;
/** A scrape waits no longer; the measurement goes on for the next one. */
const PATIENCE_MS = 2_000;
/** Older figures would tell a state that is long over. */
const OUTDATED_MS = 10 * 60_000;

/** Sizes and queues of the installation, measured once for all processes and only while somebody asks. */
@Injectable()
export class InstallationStatistics {
  private readonly logger = new Logger('Health');
  private known: MeasuredFigures | null = null;
  private readAt = -Infinity;
  private refreshing: Promise<void> | null = null;

  constructor(private readonly repository: InstallationStatisticsRepository) {}

  /** Null while the database does not tell. Never rejects. */
  async latest(): Promise<MeasuredFigures | null> {
    await this.refresh();
    return this.current;
  }

  /** The last known figures; null when they are out of date. */
  get current(): MeasuredFigures | null {
    const { known } = this;
    return known !== null && Date.now() - known.measuredAt.getTime() < OUTDATED_MS ? known : null;
  }

  private async refresh(): Promise<void> {
    if (performance.now() - this.readAt < READ_MS) return;
    this.refreshing ??= this.look().finally(() => {
      this.refreshing = null;
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS);
    });
    await Promise.race([this.refreshing, late]);
    clearTimeout(timer);
  }

  private async look(): Promise<void> {
    try {
      const stored = await this.repository.read(INTERVAL_S);
      const measures = stored?.fresh !== true && (await this.repository.claim(INTERVAL_S));
      this.known = measures ? await this.repository.measure() : (stored?.figures ?? this.known);
      this.readAt = performance.now();
    } catch (error) {
      this.logger.warn({ msg: 'sizes and queues could not be measured', err: error });
    }
  }
}

/** Shows the figures of the installation as metrics. */
@Injectable()
export class InstallationMetrics {
  constructor(registry: MetricRegistry, figures: InstallationStatistics) {
    registry.beforeScrape(async () => void (await figures.latest()));
    registry.gauge(DATABASE_SIZE, () => (figures.current === null ? [] : [[[], figures.current.database_bytes]]));
    registry.gauge(TABLE_SIZE, () =>
      (figures.current?.tables ?? []).flatMap(({ table, bytes, index_bytes }) => [
        [[table, 'rows'], bytes] as const,
        [[table, 'indexes'], index_bytes] as const,
      ]),
    );
    registry.gauge(QUEUE_JOBS, () =>
      (figures.current?.queues ?? []).flatMap((queue) =>
        STATES.map((state) => [[queue.queue, state], queue[state]] as const),
      ),
    );
    registry.gauge(QUEUE_AGE, () =>
      (figures.current?.queues ?? []).map(({ queue, oldest_seconds }) => [[queue], oldest_seconds] as const),
    );
  }
}
