import { Injectable } from '@nestjs/common';
import { gauge, MetricRegistry } from '../infrastructure/telemetry';
import { InstallationStatistics } from './installation-statistics.service';

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
