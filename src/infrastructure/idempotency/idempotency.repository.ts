import { uuidv7 } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull } from 'typeorm';
import { AcrossOrganizations, FORGET_APPLIED, type Transaction } from '../database';
import { IdempotencyRecordEntity } from './idempotency-record.entity';

/** Identity of a request. */
export interface IdempotencyScope {
  readonly organizationId: string;
  readonly callerId: string;
  readonly route: string;
  readonly key: string;
}

export type Claim =
  | {
      readonly state: 'claimed';
      readonly id: string;
      /** Effects that an earlier holder committed before it died. */
      readonly effects: string | null;
    }
  | { readonly state: 'running'; readonly bodyHash: string }
  | { readonly state: 'done'; readonly id: string; readonly bodyHash: string; readonly response: string };

const KEPT = '24 hours';
/** Lease, renewed by a heartbeat while the request runs. */
const LEASE = '20 seconds';

const CLAIM = `
  INSERT INTO idempotency_records AS record
    (id, organization_id, caller_id, route, key, body_hash, state, lease_until, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, 'running', now() + interval '${LEASE}', now() + interval '${KEPT}')
  ON CONFLICT ON CONSTRAINT idempotency_records_key DO UPDATE
    SET id = excluded.id, body_hash = excluded.body_hash, state = 'running', response = NULL,
        effects = CASE WHEN record.expires_at > now() THEN record.effects END,
        lease_until = excluded.lease_until, expires_at = excluded.expires_at
    WHERE record.expires_at <= now()
       OR (record.state = 'running' AND record.lease_until <= now() AND record.body_hash = excluded.body_hash)
  RETURNING effects`;

@Injectable()
export class IdempotencyRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * One statement decides between equal requests, by the clock of the database. Replaces an expired record. An
   * abandoned one (lease expired) goes only to a request with the same body.
   */
  async claim(scope: IdempotencyScope, bodyHash: string): Promise<Claim> {
    const { organizationId, callerId, route, key } = scope;
    const id = uuidv7();
    const claimed = await this.dataSource.query<{ effects: string | null }[]>(CLAIM, [
      id,
      organizationId,
      callerId,
      route,
      key,
      bodyHash,
    ]);
    if (claimed[0] !== undefined) return { state: 'claimed', id, effects: claimed[0].effects };
    const record = await this.rows().findOneBy({ organizationId, callerId, route, key });
    // Freed between the two statements: its holder failed, and this request may be retried.
    if (record === null) return { state: 'running', bodyHash };
    if (record.state === 'running') return { state: 'running', bodyHash: record.bodyHash };
    return { state: 'done', id: record.id, bodyHash: record.bodyHash, response: record.response ?? '' };
  }

  /** Renews the leases of all keys that this process holds. */
  @AcrossOrganizations('jobs')
  async renew(ids: readonly string[]): Promise<void> {
    await this.rows().update(
      { id: In([...ids]), state: 'running' },
      { leaseUntil: () => `now() + interval '${LEASE}'` },
    );
  }

  /** Frees every key. Only for a process without replicas: the holders of all keys are dead. */
  @AcrossOrganizations('jobs')
  async abandonAll(): Promise<void> {
    await this.rows().update({ state: 'running' }, { leaseUntil: () => 'now()' });
  }

  /** The id is the fencing token. False when another request has taken over the key. */
  async recordEffects(id: string, effects: string, tx: Transaction): Promise<boolean> {
    const { affected } = await tx.getRepository(IdempotencyRecordEntity).update({ id, state: 'running' }, { effects });
    return affected === 1;
  }

  async complete(id: string, response: string): Promise<void> {
    await this.rows().update({ id }, { state: 'done', response, effects: null });
  }

  /** Frees the key. Committed effects stay for the next request. */
  async release(id: string): Promise<void> {
    const { affected } = await this.rows().delete({ id, state: 'running', effects: IsNull() });
    if (affected === 0) await this.rows().update({ id, state: 'running' }, { leaseUntil: () => 'now()' });
  }

  @AcrossOrganizations('jobs')
  async purge(): Promise<void> {
    await this.rows().createQueryBuilder().delete().where('expires_at <= now()').execute();
    await this.dataSource.query(FORGET_APPLIED);
  }

  private rows() {
    return this.dataSource.getRepository(IdempotencyRecordEntity);
  }
}
