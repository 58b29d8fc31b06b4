import { Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { gauge, histogram, MetricRegistry } from '../telemetry';

export const POOL_CONNECTIONS = gauge({
  name: 'db_client_connection_count',
  help: 'Connections of this process to the database.',
  labels: ['db_client_connection_state'],
});
export const POOL_PENDING = gauge({
  name: 'db_client_connection_pending_requests',
  help: 'Statements and transactions that wait for a connection.',
  labels: [],
});
export const POOL_MAX = gauge({
  name: 'db_client_connection_max',
  help: 'Most connections of this process to the database: DATABASE_POOL_SIZE.',
  labels: [],
});
export const POOL_WAIT = histogram({
  name: 'db_client_connection_wait_time_seconds',
  help: 'Time until a connection was there, also where none was.',
  labels: [],
  buckets: [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 5],
});

type Done = (...answer: unknown[]) => void;

/** Watches the pool that all statements of the service share. */
@Injectable()
export class PoolMetrics {
  constructor(registry: MetricRegistry, dataSource: DataSource) {
    const pool = (dataSource.driver as unknown as { readonly master: Pool }).master;
    registry.gauge(POOL_CONNECTIONS, () => [
      [['used'], pool.totalCount - pool.idleCount],
      [['idle'], pool.idleCount],
    ]);
    registry.gauge(POOL_PENDING, () => [[[], pool.waitingCount]]);
    registry.gauge(POOL_MAX, () => [[[], pool.options.max]]);
    const wait = registry.histogram(POOL_WAIT).at();
    if (registry.isRead) observeWaits(pool, (seconds) => wait.observe(seconds));
  }
}

/** Reports the time from each demand for a connection to its answer. */
function observeWaits(pool: Pool, observe: (seconds: number) => void): void {
  const connect = pool.connect.bind(pool) as (done?: Done) => Promise<unknown> | undefined;
  const timed = (done?: Done): Promise<unknown> | undefined => {
    const askedAt = performance.now();
    const answered = (): void => observe((performance.now() - askedAt) / 1e3);
    if (done !== undefined) {
      return connect((...answer) => {
        answered();
        done(...answer);
      });
    }
    const connecting = connect();
    connecting?.then(answered, answered);
    return connecting;
  };
  pool.connect = timed as Pool['connect'];
}
