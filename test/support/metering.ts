import type { DataSource } from 'typeorm';
import { MetricRegistry } from '../../src/infrastructure/telemetry';
import { Metering, PriceList } from '../../src/metering';
import { LeaseRepository } from '../../src/metering/lease.repository';
import { LimitLeases } from '../../src/metering/limit-leases.service';
import { ModelMetrics } from '../../src/metering/model.metrics';
import { UsageBuffer, UsageRepository } from '../../src/metering/usage.repository';

export const MODEL = { provider: 'openai', model: 'm' };
const PRICES = new PriceList({ currency: 'EUR', models: [{ ...MODEL, from: '2020-01-01', input: 3, output: 7 }] });

/** The metering of one process. Audit, groups and jobs are other modules. A killed process reaches no database. */
export function meteringProcess(source: DataSource) {
  const world = { isDead: false, statements: 0 };
  const query = (...given: Parameters<DataSource['query']>): Promise<unknown> => {
    world.statements += 1;
    return world.isDead ? Promise.reject(new Error('The process is dead')) : source.query(...given);
  };
  const audit = { record: () => Promise.resolve() } as never;
  const jobs = { sweep: () => undefined } as never;
  const repository = new LeaseRepository({ query } as never);
  const leases = new LimitLeases(repository, audit, jobs, { runs: { leaseSeconds: 600 } } as never);
  const usage = new UsageBuffer(new UsageRepository(source));
  const groups = { idsOf: () => Promise.resolve(['g']) } as never;
  const metrics = new ModelMetrics(new MetricRegistry(false), { metrics: { organizations: 0 } } as never);
  const prices = { of: () => Promise.resolve(PRICES) } as never;
  const metering = new Metering(prices, usage, leases, groups, metrics);
  const stop = (): Promise<void> => leases.beforeApplicationShutdown();
  const kill = (): Promise<void> => {
    world.isDead = true;
    return stop();
  };
  return { metering, usage, leases, kill, stop, statements: () => world.statements };
}
