import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DATABASE } from './database.token';
import type { OpenDatabase } from '../postgres';

const EVERY_MS = 60_000;

/** Autovacuum's formula with a higher threshold, because a vacuum blocks every session of the embedded engine. */
const WORST = `
  SELECT quote_ident(schemaname) || '.' || quote_ident(relname) AS name
  FROM pg_stat_user_tables
  WHERE n_dead_tup > 2000 + 0.2 * n_live_tup
  ORDER BY n_dead_tup DESC LIMIT 1`;

/**
 * Replaces autovacuum, which the embedded engine lacks. Vacuums one table at a time, only while no connection is in
 * use (about 0.2 s per 20,000 rows). Does not analyze: searches need no statistics.
 */
@Injectable()
export class EmbeddedMaintenance implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger(EmbeddedMaintenance.name);
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly dataSource: DataSource,
    @Inject(DATABASE) private readonly database: OpenDatabase,
  ) {}

  onApplicationBootstrap(): void {
    if (this.database.engine !== 'embedded') return;
    this.timer = setInterval(() => {
      this.running = this.run().catch((error: unknown) => this.log.warn({ msg: 'a vacuum failed', err: error }));
    }, EVERY_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** Vacuums the table with most dead rows. Null when none needs it or a connection is in use. */
  async run(): Promise<string | null> {
    if (this.inUse()) return null;
    // Counts are flushed lazily; the next statement of any session sees them.
    return this.database.asOwner((owner) => this.vacuum(owner));
  }

  private async vacuum(owner: DataSource): Promise<string | null> {
    await owner.query('SELECT pg_stat_force_next_flush()');
    const [worst] = await owner.query<{ name: string }[]>(WORST);
    if (worst === undefined) return null;
    const from = performance.now();
    await owner.query(`VACUUM (TRUNCATE false) ${worst.name}`);
    this.log.debug({ msg: 'vacuumed', table: worst.name, ms: Math.round(performance.now() - from) });
    return worst.name;
  }

  private inUse(): boolean {
    const { master } = this.dataSource.driver as unknown as { master: { totalCount: number; idleCount: number } };
    return master.idleCount < master.totalCount;
  }
}
