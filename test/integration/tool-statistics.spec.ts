import { uuidv7 } from '@bellwether/kernel';
import type { DataSource } from 'typeorm';
import type { JobQueue } from '../../src/infrastructure/jobs';
import { ToolStatistics } from '../../src/tools/tool-statistics';
import { type CountedCall, ToolStatsRepository } from '../../src/tools/tool-stats.repository';
import { openTestDatabase, resetDatabase } from '../support/database';

const JOBS = { sweep: () => undefined } as unknown as JobQueue;

const counted = (more: Partial<CountedCall> = {}): CountedCall => ({
  failed: false,
  retries: 0,
  cached: false,
  fellBack: false,
  durationMs: 100,
  confidence: null,
  ...more,
});

let dataSource: DataSource;
let organizationId: string;

const replica = (): ToolStatistics => new ToolStatistics(new ToolStatsRepository(dataSource), JOBS);

beforeAll(async () => {
  dataSource = await openTestDatabase();
});
beforeEach(async () => {
  await resetDatabase(dataSource);
  organizationId = uuidv7();
  await dataSource.query(`INSERT INTO organizations (id, slug, name) VALUES ($1, 'o', 'O')`, [organizationId]);
});
afterAll(() => dataSource.destroy());

describe('figures of tools', () => {
  it('know nothing of a tool that never ran', async () => {
    const statistics = replica();
    await statistics.load(organizationId);
    expect(statistics.of(organizationId, 'simple_rag')).toBeNull();
  });

  it('count a batch once that is sent again because its answer was lost', async () => {
    const repository = new ToolStatsRepository(dataSource);
    const add = repository.add.bind(repository);
    jest.spyOn(repository, 'add').mockImplementationOnce(async (...given) => {
      await add(...given);
      throw new Error('Connection terminated unexpectedly');
    });
    const statistics = new ToolStatistics(repository, JOBS);
    statistics.record(organizationId, 'simple_rag', counted());
    await statistics.flush();
    await statistics.flush();
    expect(await dataSource.query('SELECT calls FROM tool_stats')).toEqual([{ calls: 1 }]);
  });

  it('are there at once in the process that counted, and add up over processes', async () => {
    const [one, other] = [replica(), replica()];
    await Promise.all([one.load(organizationId), other.load(organizationId)]);
    for (let call = 0; call < 98; call += 1) one.record(organizationId, 'simple_rag', counted({ confidence: 0.5 }));
    other.record(organizationId, 'simple_rag', counted({ failed: true, durationMs: null, retries: 3 }));
    other.record(organizationId, 'simple_rag', counted({ durationMs: 9_000, fellBack: true }));
    other.record(organizationId, 'simple_rag', counted({ cached: true }));
    expect(one.of(organizationId, 'simple_rag')).toMatchObject({ calls: 98, failure_rate: 0, avg_ms: 100 });
    expect(other.of(organizationId, 'simple_rag')).toMatchObject({ calls: 2, failure_rate: 0.5 });
    await Promise.all([one.flush(), other.flush()]);
    await one.flush();
    const third = replica();
    await third.load(organizationId);
    const stats = third.of(organizationId, 'simple_rag');
    expect(stats).toMatchObject({ calls: 100, failure_rate: 0.01, confidence: 0.5 });
    expect(stats?.p95_ms).toBeGreaterThanOrEqual(100);
    expect(stats?.p95_ms).toBeLessThan(120);
    const rows = await dataSource.query('SELECT calls, failures, retries, cache_hits, fallbacks FROM tool_stats');
    expect(rows).toEqual([{ calls: 100, failures: 1, retries: 3, cache_hits: 1, fallbacks: 1 }]);
  });

  it('count once what was counted before the first read and while rows are written', async () => {
    const statistics = replica();
    statistics.record(organizationId, 'simple_rag', counted());
    const flushed = statistics.flush();
    const loaded = statistics.load(organizationId);
    statistics.record(organizationId, 'simple_rag', counted());
    await Promise.all([flushed, loaded]);
    statistics.record(organizationId, 'simple_rag', counted());
    expect(statistics.of(organizationId, 'simple_rag')).toMatchObject({ calls: 3 });
    await statistics.beforeApplicationShutdown();
    expect(await dataSource.query('SELECT calls FROM tool_stats')).toEqual([{ calls: 3 }]);
  });

  it('are kept until the database takes them', async () => {
    const repository = new ToolStatsRepository(dataSource);
    const add = jest.spyOn(repository, 'add').mockRejectedValueOnce(new Error('away'));
    const statistics = new ToolStatistics(repository, JOBS);
    statistics.record(organizationId, 'simple_rag', counted());
    await statistics.flush();
    statistics.record(organizationId, 'simple_rag', counted());
    await statistics.beforeApplicationShutdown();
    expect(add).toHaveBeenCalledTimes(3);
    expect(await dataSource.query('SELECT calls FROM tool_stats')).toEqual([{ calls: 2 }]);
  });

  it('belong to one organization, and go with it', async () => {
    const statistics = replica();
    const other = uuidv7();
    await Promise.all([statistics.load(organizationId), statistics.load(other)]);
    statistics.record(organizationId, 'simple_rag', counted());
    statistics.record(other, 'simple_rag', counted());
    await statistics.beforeApplicationShutdown();
    expect(await dataSource.query('SELECT organization_id FROM tool_stats')).toEqual([
      { organization_id: organizationId },
    ]);
  });

  it('are of the last 30 days, and are forgotten after 400', async () => {
    const repository = new ToolStatsRepository(dataSource);
    const statistics = replica();
    statistics.record(organizationId, 'simple_rag', counted());
    await statistics.beforeApplicationShutdown();
    await dataSource.query(`INSERT INTO tool_stats SELECT organization_id, plugin, current_date - age, calls, failures,
      retries, cache_hits, fallbacks, duration_sum, durations, confidence_sum, confidences
      FROM tool_stats, unnest(ARRAY[29, 31, 401]) AS age`);
    const later = replica();
    await later.load(organizationId);
    expect(later.of(organizationId, 'simple_rag')).toMatchObject({ calls: 2 });
    await repository.forget(400);
    expect(await dataSource.query('SELECT count(*)::int AS days FROM tool_stats')).toEqual([{ days: 3 }]);
  });
});
