import { AppError, type Awaitable, atMost } from '@bellwether/kernel';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { NEWEST_METADATA } from '../definition';
import { OrganizationsService } from '../../organizations';
import { CONFIG, type Config } from '../../infrastructure/config';
import { Transactions } from '../../infrastructure/database';
import { AssistantRewrites } from './assistant-rewrites';
import { RequestedPlans } from './requested-plans';

export interface StoredVersion {
  readonly id: number;
  readonly version: number;
  readonly organizationId: string;
}

/** Most versions in memory that need no further look. */
const REMEMBERED = 20_000;

/** A failure may be temporary, so it is retried after this time. */
const FAILED_MS = 5 * 60_000;

/** Most assistants that migrate at once; further accesses read the old document. */
const MOST_AT_ONCE = 16;

/**
 * `MIGRATION_POLICY=on_access`: an access to one assistant migrates it to the newest version. An assistant that
 * cannot be migrated, or was rolled back, stays unchanged. No access fails because of a migration.
 */
@Injectable()
export class AccessMigration {
  private readonly logger = new Logger(AccessMigration.name);
  /** Expiry of versions that are newest, refused, rolled back or failed. */
  private readonly settled = new LRUCache<string, number>(atMost(REMEMBERED));
  private readonly running = new Map<number, Promise<boolean>>();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly organizations: OrganizationsService,
    private readonly rewrites: AssistantRewrites,
    private readonly plans: RequestedPlans,
    private readonly transactions: Transactions,
  ) {}

  /** True when `stored` is no longer the current version. */
  migrate(stored: StoredVersion): Awaitable<boolean> {
    if (this.config.migration.policy !== 'on_access' || (this.settled.get(keyOf(stored)) ?? 0) > Date.now())
      return false;
    const running = this.running.get(stored.id);
    if (running !== undefined) return running;
    if (this.running.size >= MOST_AT_ONCE) return false;
    const attempt = this.attempt(stored);
    this.running.set(stored.id, attempt);
    return attempt;
  }

  private async attempt(stored: StoredVersion): Promise<boolean> {
    try {
      const { features } = await this.organizations.runtime(stored.organizationId);
      return features.multi_tool && (await this.rewrite(stored));
    } catch (error) {
      if (error instanceof AppError && error.code === 'too_many_requests') return false;
      this.settled.set(keyOf(stored), Date.now() + FAILED_MS);
      const name = error instanceof Error ? error.name : typeof error;
      this.logger.error({
        msg: 'not migrated on access',
        assistant_id: stored.id,
        version: stored.version,
        error: name,
      });
      return false;
    } finally {
      this.running.delete(stored.id);
    }
  }

  private async rewrite(stored: StoredVersion): Promise<boolean> {
    const { id, organizationId } = stored;
    const [subject] = await this.rewrites.subjects({ organizationId, afterId: 0, limit: 1, onlyId: id });
    if (subject?.version !== stored.version) {
      this.rewrites.forget(stored);
      return true;
    }
    const plan = await this.plans.plan(subject, NEWEST_METADATA);
    if (plan.status === 'refused') {
      const codes = [...new Set(plan.problems.map(({ code, path }) => code ?? path))];
      this.logger.warn({ msg: 'cannot be migrated', assistant_id: id, version: stored.version, codes });
    }
    // A rolled back assistant stays in the old version until it is saved again.
    if (plan.status !== 'ready' || (await this.rewrites.isTakenBack(subject))) {
      this.settled.set(keyOf(stored), Infinity);
      return false;
    }
    const change = { subject, plan, reason: 'migrate', batchId: null } as const;
    const [rewritten] = await this.transactions.run((tx) => this.rewrites.apply(tx, [change], null));
    // null: another writer was faster, so its version is read.
    if (rewritten) this.rewrites.committed([rewritten], null);
    else this.rewrites.forget(stored);
    return true;
  }
}

const keyOf = ({ id, version }: StoredVersion): string => `${id}/${version}`;
