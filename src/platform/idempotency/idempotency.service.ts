import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { AppError } from '../../kernel';
import { SecretsService } from '../secrets';
import { IdempotencyRepository, type IdempotencyScope } from './idempotency.repository';
import type { StoredResponse } from './response-tape';

const RENEW_EVERY = 20_000;
const PURGE_EVERY = 3_600_000;

/** A claimed key: exactly one of `complete` and `release` ends it. */
export interface Claimed {
  complete(response: StoredResponse | null): Promise<void>;
  release(): Promise<void>;
}

export type Admission = { readonly claimed: Claimed } | { readonly replay: StoredResponse };

/** Remembers the answer to a request for 24 hours, so that sending it again has no second effect. */
@Injectable()
export class IdempotencyService implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('Idempotency');
  private purging: NodeJS.Timeout | undefined;

  constructor(
    private readonly repository: IdempotencyRepository,
    private readonly secrets: SecretsService,
  ) {}

  onModuleInit(): void {
    this.purging = setInterval(() => void this.survive(this.repository.purge()), PURGE_EVERY).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.purging);
  }

  /**
   * `sealed` keeps the answer encrypted, for answers that hold a secret.
   * @throws {AppError} `idempotency_in_progress` while an equal request runs, `idempotency_mismatch` for another body.
   */
  async admit(scope: IdempotencyScope, bodyHash: string, sealed: boolean): Promise<Admission> {
    const claim = await this.repository.claim(scope, bodyHash);
    if (claim.state === 'claimed') return { claimed: this.hold(claim.id, scope.organizationId, sealed) };
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

  private hold(id: string, organizationId: string, sealed: boolean): Claimed {
    const renewal = setInterval(() => void this.survive(this.repository.renew(id)), RENEW_EVERY).unref();
    const store = async (response: StoredResponse): Promise<void> => {
      const text = JSON.stringify(response);
      await this.repository.complete(id, sealed ? await this.secrets.seal(organizationId, fieldOf(id), text) : text);
    };
    return {
      // The effect has happened and is answered whatever becomes of the record; unrecorded, the key frees with its lease.
      complete: async (response) => {
        clearInterval(renewal);
        await this.survive(response === null ? this.repository.release(id) : store(response));
      },
      release: async () => {
        clearInterval(renewal);
        await this.survive(this.repository.release(id));
      },
    };
  }

  private async survive(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.logger.warn(`An idempotency record was not written: ${error instanceof Error ? error.name : 'unknown'}`);
    }
  }
}

const fieldOf = (id: string): string => `idempotency.${id}`;
