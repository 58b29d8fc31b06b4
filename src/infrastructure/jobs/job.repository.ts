import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import PgBoss from 'pg-boss';
import { DataSource, type QueryRunner } from 'typeorm';
import { CONFIG, type Config } from '../config';
import {
  AcrossOrganizations,
  DATABASE,
  GRANT_JOBS,
  isDatabaseUnavailable,
  JOB_SCHEMA,
  type OpenDatabase,
  type Transaction,
} from '../database';
import type { NewJob, Queue } from './job.types';

const SCHEMA = JOB_SCHEMA;

const INSERT_BATCH = 2_000;

/** Every replica must use the same number. */
const CREATE_LOCK = 7_365_401_933;
const CREATE_TRIES = 5;
const CREATE_PAUSE_MS = 200;

/** One try of a job. A later try of the same job has a higher number. */
export interface Try {
  readonly id: string;
  readonly number: number;
}

export interface FetchedJob extends Try {
  readonly data: object;
  readonly lastTry: boolean;
}

interface Answer {
  readonly rows: unknown[];
  readonly affected: number;
}

const DUE = `
  SELECT q AS name FROM unnest($1::text[]) q
  WHERE EXISTS (SELECT FROM ${SCHEMA}.job WHERE name = q AND state < 'active' AND start_after < now())`;

/** pg-boss counts the time of a job from its start: moving the start renews the lease. */
const RENEW = `
  UPDATE ${SCHEMA}.job j SET started_on = now() FROM unnest($2::uuid[], $3::int[]) AS held (id, number)
  WHERE j.name = $1 AND j.id = held.id AND j.retry_count = held.number AND j.state = 'active' RETURNING j.id`;

const OWN = `
  SELECT FROM ${SCHEMA}.job WHERE name = $1 AND id = $2 AND retry_count = $3 AND state = 'active' FOR UPDATE`;

/** Without a start, the next fetch does not count as another try. */
const RELEASE = `
  UPDATE ${SCHEMA}.job j SET state = 'retry', start_after = now(), started_on = NULL
  FROM unnest($2::uuid[], $3::int[]) AS held (id, number)
  WHERE j.name = $1 AND j.id = held.id AND j.retry_count = held.number AND j.state = 'active'`;

const RELEASE_ALL = `
  UPDATE ${SCHEMA}.job SET state = 'retry', start_after = now() WHERE name = ANY ($1) AND state = 'active'`;

const OVERDUE = `
  SELECT EXISTS (SELECT FROM ${SCHEMA}.job WHERE state = 'active' AND started_on + expire_in < now()) AS overdue`;

const WITHOUT_JOB = `
  SELECT k AS key FROM unnest($2::text[]) k
  WHERE NOT EXISTS (SELECT FROM ${SCHEMA}.job WHERE name = $1 AND singleton_key = k AND state < 'completed')`;

/** pg-boss's scripts are whole transactions: a failing one would leave its connection in an aborted transaction. */
const SCRIPT = /^\s*BEGIN;([\s\S]*)COMMIT;\s*$/;

/** The tables of pg-boss over our own connections. */
@Injectable()
export class JobRepository {
  private readonly log = new Logger('Jobs');
  private readonly boss: PgBoss;
  /** Set while the tables of pg-boss are prepared. */
  private owner: DataSource | null = null;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(DATABASE) private readonly database: OpenDatabase,
  ) {
    this.boss = new PgBoss({
      db: { executeSql: (text, values) => this.execute(text, values) },
      schema: SCHEMA,
      schedule: false,
      supervise: false,
      archiveCompletedAfterSeconds: 600,
      archiveFailedAfterSeconds: 24 * 60 * 60,
      deleteAfterHours: 24,
    });
    this.boss.on('error', (error) => this.log.error({ msg: 'the job queue failed', err: error }));
  }

  /** Migrates the tables of pg-boss and adds missing queues. */
  async prepare(names: readonly string[]): Promise<void> {
    await this.database.asOwner(async (owner) => {
      this.owner = owner;
      try {
        await this.boss.start();
        const known = new Set((await this.boss.getQueues()).map(({ name }) => name));
        for (const name of names) if (!known.has(name)) await this.create(name, owner);
        if (this.database.rowSecurity.enforced) await this.grant(owner);
      } finally {
        this.owner = null;
      }
    });
  }

  /** Under the lock: grants of two processes at once fail with "tuple concurrently updated". */
  private async grant(owner: DataSource): Promise<void> {
    await owner.transaction(async (tx) => {
      await tx.query(`SELECT pg_advisory_xact_lock(${CREATE_LOCK})`);
      await tx.query(GRANT_JOBS);
    });
  }

  /** A queue is a partition: creating it may deadlock with other work, so it is retried. */
  private async create(name: string, owner: DataSource): Promise<void> {
    for (let left = CREATE_TRIES; ; left--) {
      try {
        return await owner.transaction(async (tx) => {
          await tx.query(`SELECT pg_advisory_xact_lock(${CREATE_LOCK})`);
          await tx.query(`SELECT ${SCHEMA}.create_queue($1, '{"policy": "standard"}')`, [name]);
        });
      } catch (error) {
        if (left === 0 || !isDatabaseUnavailable(error)) throw error;
        await sleep(CREATE_PAUSE_MS);
      }
    }
  }

  /** @throws when the queue does not exist: pg-boss would quietly drop the jobs. */
  async insert<Data extends object>(queue: Queue<Data>, jobs: readonly NewJob<Data>[], tx: Transaction): Promise<void> {
    let inserted = 0;
    const db: PgBoss.Db = {
      executeSql: async (text, values) => {
        const answer = await this.execute(text, values, tx);
        inserted += answer.affected;
        return answer;
      },
    };
    for (let first = 0; first < jobs.length; first += INSERT_BATCH) {
      const rows = jobs.slice(first, first + INSERT_BATCH).map(({ key, data, priority = 0 }) => ({
        name: queue.name,
        data,
        priority,
        singletonKey: key,
        retryLimit: queue.retries,
        retryDelay: queue.retryDelay,
        retryBackoff: true,
        expireInSeconds: this.config.jobs.leaseSeconds,
      }));
      await this.boss.insert(rows, { db });
    }
    if (inserted !== jobs.length) throw new Error(`The queue ${queue.name} took ${inserted} of ${jobs.length} jobs`);
  }

  /** Inserts those of the jobs whose key has no waiting or running one. */
  @AcrossOrganizations('jobs')
  async insertLost<Data extends object>(queue: Queue<Data>, jobs: readonly NewJob<Data>[]): Promise<void> {
    const keys = jobs.map(({ key }) => key);
    const without = new Set(await this.withoutJob(queue.name, keys));
    const lost = jobs.filter(({ key }) => without.has(key));
    if (lost.length > 0) await this.dataSource.transaction((tx) => this.insert(queue, lost, tx));
  }

  async fetch(name: string, count: number): Promise<FetchedJob[]> {
    const jobs = await this.boss.fetch<object>(name, { batchSize: count, includeMetadata: true });
    return jobs
      .sort((a, b) => b.priority - a.priority)
      .map(({ id, data, retryCount, retryLimit }) => ({
        id,
        data,
        number: retryCount,
        lastTry: retryCount >= retryLimit,
      }));
  }

  complete(name: string, job: Try): Promise<void> {
    return this.end(name, job, (db) => this.boss.complete(name, job.id, {}, { db }));
  }

  fail(name: string, job: Try, reason: string): Promise<void> {
    return this.end(name, job, (db) => this.boss.fail(name, job.id, { reason }, { db }));
  }

  /** Queues with a job to run now. */
  @AcrossOrganizations('jobs')
  async due(names: readonly string[]): Promise<string[]> {
    const rows = await this.dataSource.query<{ name: string }[]>(DUE, [names]);
    return rows.map(({ name }) => name);
  }

  /** Returns the ids of the tries that this process still holds. */
  async renew(name: string, tries: readonly Try[]): Promise<Set<string>> {
    const { rows } = await this.execute(RENEW, [name, ...columns(tries)]);
    return new Set((rows as { id: string }[]).map(({ id }) => id));
  }

  /** Frees jobs without counting a try. */
  async release(name: string, tries: readonly Try[]): Promise<void> {
    if (tries.length > 0) await this.execute(RELEASE, [name, ...columns(tries)]);
  }

  /**
   * Releases every job of these queues. Only for a process without replicas: the workers of all active jobs are gone.
   */
  async releaseAll(names: readonly string[]): Promise<void> {
    await this.execute(RELEASE_ALL, [names]);
  }

  /** Retries jobs whose worker has died. */
  @AcrossOrganizations('jobs')
  async expire(): Promise<void> {
    const [{ overdue }] = await this.dataSource.query<[{ overdue: boolean }]>(OVERDUE);
    if (overdue) await this.boss.expire();
  }

  /** Deletes old jobs. */
  async tidy(): Promise<void> {
    await this.boss.archive();
    await this.execute(`DELETE FROM ${SCHEMA}.archive WHERE archived_on < now() - interval '1 day'`);
  }

  @AcrossOrganizations('jobs')
  async withoutJob(name: string, keys: readonly string[]): Promise<string[]> {
    const rows = await this.dataSource.query<{ key: string }[]>(WITHOUT_JOB, [name, keys]);
    return rows.map(({ key }) => key);
  }

  /** pg-boss ends a job by its id alone. A process taken for dead must not end the try of its successor. */
  @AcrossOrganizations('jobs')
  private end(name: string, { id, number }: Try, work: (db: PgBoss.Db) => Promise<void>): Promise<void> {
    return this.dataSource.transaction(async (tx) => {
      const own = await tx.query<object[]>(OWN, [name, id, number]);
      if (own.length > 0) await work({ executeSql: (text, values) => this.execute(text, values, tx) });
    });
  }

  @AcrossOrganizations('jobs')
  private async execute(text: string, values?: unknown[], tx?: Transaction): Promise<Answer> {
    const script = SCRIPT.exec(text)?.[1];
    if (script !== undefined) {
      await (this.owner ?? this.dataSource).transaction((own) => own.query(script));
      return { rows: [], affected: 0 };
    }
    const runner = tx?.queryRunner ?? (this.owner ?? this.dataSource).createQueryRunner();
    try {
      return await ask(runner, text, values);
    } finally {
      if (tx === undefined) await runner.release();
    }
  }
}

async function ask(runner: QueryRunner, text: string, values: unknown[] | undefined): Promise<Answer> {
  const { records, affected } = await runner.query(text, values, true);
  return { rows: records as unknown[], affected: affected ?? 0 };
}

const columns = (tries: readonly Try[]): [ids: string[], numbers: number[]] => [
  tries.map(({ id }) => id),
  tries.map(({ number }) => number),
];
