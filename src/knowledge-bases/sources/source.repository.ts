import { Injectable } from '@nestjs/common';
import { Any, In, MoreThan } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity';
import { TenantScope, tenantRepository } from '../../infrastructure/database';
import type { RowRef } from '../storage/row-queue';
import { type FetchStatus, SourceEntity, type SourceRefresh } from './source.entity';

/** Seconds. Longer than one fetch may take. */
const CLAIM_SECONDS = 600;
const UNFINISHED: FetchStatus[] = ['pending', 'fetching'];

/** Column values of a source that waits to be fetched. */
export const DUE = { status: 'pending', claim: null, claimedUntil: null, nextAt: null } as const;

const START_DUE = `
  UPDATE kb_sources s SET status = 'pending', claim = NULL, claimed_until = NULL, next_at = NULL
  WHERE (s.next_at <= now() AND s.status NOT IN ('pending', 'fetching'))
    OR (s.status = 'fetching' AND ($1 OR s.claimed_until < now()))`;

/** Sources of one organization. */
export class SourceScope extends TenantScope<SourceEntity> {
  findIn(knowledgeBaseId: string, id: string): Promise<SourceEntity | null> {
    return this.rows.findOneBy(this.where({ id, knowledgeBaseId }));
  }

  async page(
    knowledgeBaseId: string,
    limit: number,
    after: string | null,
  ): Promise<[rows: SourceEntity[], total: number]> {
    const all = this.where({ knowledgeBaseId });
    const where = after === null ? all : { ...all, id: MoreThan(after) };
    const rows = await this.rows.find({ where, order: { id: 'ASC' }, take: limit });
    return [rows, await this.rows.countBy(all)];
  }

  /** The owner may have changed it during the fetch. */
  async refreshOf({ id, refresh }: Pick<SourceEntity, 'id' | 'refresh'>): Promise<SourceRefresh> {
    return (await this.find(id))?.refresh ?? refresh;
  }

  hasUrl(knowledgeBaseId: string, url: string): Promise<boolean> {
    return this.rows.existsBy(this.where({ knowledgeBaseId, url }));
  }

  count(knowledgeBaseId: string): Promise<number> {
    return this.rows.countBy(this.where({ knowledgeBaseId }));
  }

  /** Claims a waiting source. Null when another worker has it or nothing is to be done. */
  async claim(id: string, claim: string): Promise<SourceEntity | null> {
    const claimedUntil = () => `now() + interval '${CLAIM_SECONDS} seconds'`;
    const where = this.where({ id, status: 'pending' });
    const { affected } = await this.rows.update(where, { status: 'fetching', claim, claimedUntil });
    return affected === 1 ? this.find(id) : null;
  }

  /** Ends the claim and writes the result. False when the claim was lost or the source was deleted. */
  async finish(id: string, claim: string, result: QueryDeepPartialEntity<SourceEntity>): Promise<boolean> {
    const { affected } = await this.rows.update(this.where({ id, claim }), {
      ...result,
      claim: null,
      claimedUntil: null,
    });
    return affected === 1;
  }
}

@Injectable()
export class SourceRepository extends tenantRepository(SourceEntity, () => SourceScope) {
  /**
   * Makes sources wait whose time has come, and those whose worker is gone, in every organization. `alone`: no other
   * process fetches, so every worker is gone.
   */
  async startDue(alone: boolean): Promise<void> {
    await this.dataSource.query(START_DUE, [alone]);
  }

  /** Waiting sources of every organization. */
  waiting(limit: number): Promise<RowRef[]> {
    return this.dataSource.manager.find(SourceEntity, {
      select: { id: true, organizationId: true },
      where: { status: 'pending' },
      order: { id: 'ASC' },
      take: limit,
    });
  }

  /** Ids, of those given, of sources that wait or are being fetched. */
  async unfinishedOf(ids: readonly string[]): Promise<Set<string>> {
    const where = { id: Any([...ids]), status: In(UNFINISHED) };
    const rows = await this.dataSource.manager.find(SourceEntity, { select: { id: true }, where });
    return new Set(rows.map(({ id }) => id));
  }
}
