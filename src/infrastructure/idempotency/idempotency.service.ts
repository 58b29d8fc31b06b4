import { AppError } from '@bellwether/kernel';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import {
  DATABASE,
  type OpenDatabase,
  type PendingEffects,
  type Transaction,
  acrossOrganizations,
  isDatabaseUnavailable,
} from '../database';
import { RepeatedWork } from '../jobs';
import { SecretsService } from '../secrets';
import { IdempotencyRepository, type IdempotencyScope } from './idempotency.repository';
import type { StoredResponse } from './response-tape';

type Values = Readonly<Record<string, unknown>>;

/** Results of one request's transactions by name: of earlier tries and of this one. */
export class RecordedEffects implements PendingEffects {
  private values: Values;
  /** Version 0.1 stored values by position. */
  private readonly unnamed: unknown[];
  private isOpen = true;

  constructor(
    recorded: Values | readonly unknown[],
    private readonly store: (values: Values, tx: Transaction) => Promise<void>,
  ) {
    this.unnamed = Array.isArray(recorded) ? [...(recorded as readonly unknown[])] : [];
    this.values = Array.isArray(recorded) ? {} : (recorded as Values);
  }

  isDone(name: string): boolean {
    return this.isOpen && (Object.hasOwn(this.values, name) || this.unnamed.length > 0);
  }

  async once<T>(name: string, work: (record: (value: T, tx: Transaction) => Promise<void>) => Promise<T>): Promise<T> {
    // The name belongs to one call, so the recorded value has its type.
    if (this.isDone(name)) return this.recorded(name) as T;
    let next = this.values;
    const value = await work(async (value, tx) => {
      // A job that this request woke may outlive it. Its work is no effect of the request.
      if (!this.isOpen || value === undefined || value === null || value === false) return;
      next = { ...this.values, [name]: value };
      await this.store(next, tx);
    });
    this.values = next;
    return value;
  }

  private recorded(name: string): unknown {
    if (!Object.hasOwn(this.values, name)) this.values = { ...this.values, [name]: this.unnamed.shift() };
    return this.values[name];
  }

  close(): void {
    this.isOpen = false;
  }
}

const HEARTBEAT_MS = 5_000;
const PURGE_EVERY = 3_600_000;
const RETRY_MS = 500;
/** Retries stop after this: the lease of the key has expired. */
const RETRY_FOR_MS = 25_000;

/** A claimed key: call exactly one of `complete` and `release`. */
export interface Claimed {
  readonly effects: PendingEffects;
  complete(response: StoredResponse | null): Promise<void>;
  release(): Promise<void>;
}

export type Admission = { readonly claimed: Claimed } | { readonly replay: StoredResponse };

/** Keeps the answer to a request for 24 hours, so that a retry has no second effect. */
@Injectable()
export class IdempotencyService implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger('Idempotency');
  private readonly held = new Set<string>();
  private readonly background = new RepeatedWork((error) => this.warn(error));
  /** Ends of keys that the database has not answered, with the time until which they are tried again. */
  private readonly unwritten = new Map<() => Promise<void>, number>();

  constructor(
    private readonly repository: IdempotencyRepository,
    private readonly secrets: SecretsService,
    @Inject(DATABASE) private readonly database: OpenDatabase,
  ) {}

  async onModuleInit(): Promise<void> {
    if (this.database.engine === 'embedded')
      await this.repository.abandonAll().catch((error: unknown) => this.warn(error));
    this.background.every(PURGE_EVERY, () => this.repository.purge());
    this.background.every(HEARTBEAT_MS, () => this.renew());
    this.background.every(RETRY_MS, () => this.writeAgain());
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.background.stop();
    await this.background.settled();
    await acrossOrganizations('jobs', () => this.writeAgain());
  }

  /**
   * `sealed` encrypts the answer, for answers that hold a secret.
   * @throws {AppError} `idempotency_in_progress` while an equal request runs, `idempotency_mismatch` for another body
   */
  async admit(scope: IdempotencyScope, bodyHash: string, sealed: boolean): Promise<Admission> {
    const claim = await this.repository.claim(scope, bodyHash);
    if (claim.state === 'claimed') {
      const effects = await this.effectsOf(claim, scope, sealed);
      return { claimed: this.hold(claim.id, scope.organizationId, sealed, effects) };
    }
    if (claim.bodyHash !== bodyHash) {
      throw new AppError('idempotency_mismatch', 'This Idempotency-Key was used for another request');
    }
    if (claim.state === 'running') {
      throw new AppError('idempotency_in_progress', 'An equal request is still running', { retryAfter: 1 });
    }
    const { id, response } = claim;
    const text = sealed ? await this.secrets.open(scope.organizationId, fieldOf(id), response) : response;
    return { replay: JSON.parse(text) as StoredResponse };
  }

  private hold(id: string, organizationId: string, sealed: boolean, effects: RecordedEffects): Claimed {
    this.held.add(id);
    const store = async (response: StoredResponse): Promise<void> => {
      const text = JSON.stringify(response);
      await this.repository.complete(id, sealed ? await this.secrets.seal(organizationId, fieldOf(id), text) : text);
    };
    const end = async (work: () => Promise<void>): Promise<void> => {
      this.held.delete(id);
      effects.close();
      await this.write(work, performance.now() + RETRY_FOR_MS);
    };
    return {
      effects,
      // A failed write does not fail the answer: the next try finds the effects.
      complete: (response) => end(() => (response === null ? this.repository.release(id) : store(response))),
      release: () => end(() => this.repository.release(id)),
    };
  }

  private async effectsOf(
    { id, effects }: { readonly id: string; readonly effects: string | null },
    { organizationId, route, key }: IdempotencyScope,
    sealed: boolean,
  ): Promise<RecordedEffects> {
    const field = `idempotency.effects.${route}.${key}`;
    const text = effects === null || !sealed ? effects : await this.secrets.open(organizationId, field, effects);
    const known = text === null ? {} : (JSON.parse(text) as Record<string, unknown> | unknown[]);
    return new RecordedEffects(known, async (values, tx: Transaction) => {
      const plain = JSON.stringify(values);
      const stored = sealed ? await this.secrets.seal(organizationId, field, plain, tx) : plain;
      if (await this.repository.recordEffects(id, stored, tx)) return;
      throw new AppError('idempotency_in_progress', 'Another request took this key over', { retryAfter: 1 });
    });
  }

  private async renew(): Promise<void> {
    if (this.held.size > 0) await this.repository.renew([...this.held]);
  }

  /** Repeats a write behind the answer while the database is away: clients that ask again would wait for the lease. */
  private async write(work: () => Promise<void>, until: number): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isDatabaseUnavailable(error) || performance.now() > until) return this.warn(error);
      this.unwritten.set(work, until);
    }
  }

  private async writeAgain(): Promise<void> {
    const again = [...this.unwritten];
    this.unwritten.clear();
    await Promise.all(again.map(([work, until]) => this.write(work, until)));
  }

  private warn(error: unknown): void {
    this.logger.warn(`An idempotency record was not written: ${error instanceof Error ? error.name : 'unknown'}`);
  }
}

const fieldOf = (id: string): string => `idempotency.${id}`;
