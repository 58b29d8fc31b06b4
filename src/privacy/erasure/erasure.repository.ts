import { type Page, pageOf, type PageRequest, uuidCursor, uuidv7 } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, LessThan } from 'typeorm';
import type { Transaction } from '../../infrastructure/database';
import type { DataKind } from '../person-table.types';
import { ErasureRequestEntity, type HeldErasure } from './erasure-request.entity';
import type { ContentType, ErasureReport, Treatment } from './erasure.types';

const LEASE = `interval '20 seconds'`;

const CLAIM = `
  UPDATE erasure_requests SET state = 'running', lease_token = $2, lease_until = now() + ${LEASE}
  WHERE id = $1 AND finished_at IS NULL AND (lease_until IS NULL OR lease_until < now())`;

const RENEW = `
  UPDATE erasure_requests SET lease_until = now() + ${LEASE} WHERE id = $1 AND lease_token = $2 AND finished_at IS NULL`;

const COUNT = `
  UPDATE erasure_requests
  SET lease_until = now() + ${LEASE},
      counts = counts || jsonb_build_object($3::text, coalesce(counts->$3::text, '{}') ||
        jsonb_build_object($4::text, coalesce((counts->$3::text->>$4::text)::int, 0) + $5::int))
  WHERE id = $1 AND lease_token = $2 AND finished_at IS NULL`;

const HAND_OVER = `
  UPDATE erasure_requests
  SET lease_until = now() + ${LEASE},
      handed_over = handed_over || jsonb_build_object($3::text, coalesce(handed_over->$3::text, '[]') || $4::jsonb)
  WHERE id = $1 AND lease_token = $2 AND finished_at IS NULL`;

/** Another worker holds the request now. */
export class ErasureLost extends Error {}

type NewErasure = Pick<ErasureRequestEntity, 'organizationId' | 'heirId' | 'requestedBy' | 'unshared'> & {
  readonly subjectId: string;
};

@Injectable()
export class ErasureRepository {
  constructor(private readonly dataSource: DataSource) {}

  async insert(values: NewErasure, tx: Transaction): Promise<ErasureRequestEntity> {
    const id = uuidv7();
    await tx.getRepository(ErasureRequestEntity).insert({ id, ...values });
    return tx.getRepository(ErasureRequestEntity).findOneByOrFail({ id });
  }

  find(organizationId: string, id: string): Promise<ErasureRequestEntity | null> {
    return this.dataSource.getRepository(ErasureRequestEntity).findOneBy({ organizationId, id });
  }

  findOpen(organizationId: string, subjectId: string): Promise<ErasureRequestEntity | null> {
    return this.dataSource.getRepository(ErasureRequestEntity).findOneBy({ organizationId, subjectId });
  }

  async list(organizationId: string, { limit, cursor }: PageRequest): Promise<Page<ErasureRequestEntity>> {
    const rows = this.dataSource.getRepository(ErasureRequestEntity);
    const before = uuidCursor(cursor);
    const older = before === null ? {} : { id: LessThan(before) };
    const [found, total] = await Promise.all([
      rows.find({ where: { organizationId, ...older }, order: { id: 'DESC' }, take: limit + 1 }),
      rows.countBy({ organizationId }),
    ]);
    return { ...pageOf(found, limit, ({ id }) => id), total };
  }

  /** Requests that no process works on. */
  waiting(): Promise<{ id: string; organizationId: string }[]> {
    return this.dataSource.query(`
      SELECT id, organization_id AS "organizationId" FROM erasure_requests
      WHERE finished_at IS NULL AND (lease_until IS NULL OR lease_until < now()) ORDER BY id`);
  }

  /** Null when it is done, or another process holds it. */
  async claim(organizationId: string, id: string): Promise<HeldErasure | null> {
    const token = uuidv7();
    const [, claimed] = await this.dataSource.query<[unknown, number]>(CLAIM, [id, token]);
    const row = claimed === 0 ? null : await this.find(organizationId, id);
    return row === null || row.subjectId === null ? null : { ...row, subjectId: row.subjectId, token };
  }

  /** @throws ErasureLost */
  async renew(held: HeldErasure): Promise<void> {
    await this.write(this.dataSource.manager, RENEW, [held.id, held.token]);
  }

  /** Counts rows in the transaction that treats them. @throws ErasureLost */
  async count(held: HeldErasure, treatment: Treatment, kind: DataKind, rows: number, tx: Transaction): Promise<void> {
    if (rows > 0) await this.write(tx, COUNT, [held.id, held.token, treatment, kind, rows]);
  }

  /** Records content in the transaction that changes its owner. @throws ErasureLost */
  async handedOver(held: HeldErasure, type: ContentType, ids: readonly string[], tx: Transaction): Promise<void> {
    if (ids.length > 0) await this.write(tx, HAND_OVER, [held.id, held.token, type, JSON.stringify(ids)]);
  }

  /** The first try decides the time. @throws ErasureLost */
  async deactivated(held: HeldErasure, since: Date, tx: Transaction): Promise<Date> {
    const sql = `UPDATE erasure_requests SET deactivated_at = coalesce(deactivated_at, $3)
                 WHERE id = $1 AND lease_token = $2`;
    await this.write(tx, sql, [held.id, held.token, since]);
    const { deactivatedAt } = await tx.getRepository(ErasureRequestEntity).findOneByOrFail({ id: held.id });
    return deactivatedAt ?? since;
  }

  treated({ id }: HeldErasure, tx: Transaction): Promise<Pick<ErasureRequestEntity, 'counts' | 'handedOver'>> {
    return tx.getRepository(ErasureRequestEntity).findOneByOrFail({ id });
  }

  /** @throws ErasureLost */
  async finish(held: HeldErasure, report: ErasureReport, tx: Transaction): Promise<void> {
    const sql = `UPDATE erasure_requests
                 SET state = 'done', report = $3, finished_at = now(), subject_id = NULL, failure = NULL,
                     lease_token = NULL, lease_until = NULL
                 WHERE id = $1 AND lease_token = $2 AND finished_at IS NULL`;
    await this.write(tx, sql, [held.id, held.token, JSON.stringify(report)]);
  }

  /** Gives the request back for another try. */
  async release({ id, token }: HeldErasure, failure: string | null): Promise<void> {
    await this.dataSource.query(
      'UPDATE erasure_requests SET failure = $3, lease_token = NULL, lease_until = NULL WHERE id = $1 AND lease_token = $2',
      [id, token, failure],
    );
  }

  private async write(tx: Transaction, sql: string, values: unknown[]): Promise<void> {
    const [, affected] = await tx.query<[unknown, number]>(sql, values);
    if (affected === 0) throw new ErasureLost('The erasure is held by another process');
  }
}
