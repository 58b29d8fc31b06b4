import { Inject, Injectable } from '@nestjs/common';
import { Any, DataSource, type FindOptionsWhere, In, IsNull, Not } from 'typeorm';
import { CONFIG, type Config } from '../../infrastructure/config';
import type { Transaction } from '../../infrastructure/database';
import { DocumentScope } from './document-scope.repository';
import { DocumentEntity } from './document.entity';
import type { DocumentStatus } from './knowledge-base.types';
import type { RowRef } from './row-queue';

export interface DocumentRef extends RowRef {
  readonly knowledgeBaseId: string;
}

/** Share of the job's lease. Shorter, so that the next worker of a lost job finds the document free. */
const CLAIM_SHARE = 0.8;
const UNFINISHED: DocumentStatus[] = ['pending', 'processing'];

const DEAD_GENERATIONS = `
  SELECT DISTINCT c.generation FROM kb_documents d JOIN kb_chunks c ON c.document_id = d.id
  WHERE d.id = $1 AND c.generation IS DISTINCT FROM d.generation AND d.claim IS NULL`;

const NAMED_BLOBS = `
  SELECT blob.name FROM kb_documents d
  CROSS JOIN LATERAL unnest(d.unused_files || ARRAY[d.storage_name, d.answering->>'storageName']) AS blob(name)
  WHERE d.organization_id = $1 AND d.knowledge_base_id = $2 AND blob.name = ANY($3::text[])`;

/** `$2` null: of the whole organization. A replaced file that still answers is not counted. */
const BYTES = `
  SELECT coalesce(sum(d.size), 0)::float8 AS bytes
  FROM kb_documents d JOIN knowledge_bases k ON k.id = d.knowledge_base_id
  WHERE d.organization_id = $1 AND ($2::uuid IS NULL OR k.owner_id = $2)
    AND d.deleted_at IS NULL AND k.deleted_at IS NULL`;

@Injectable()
export class DocumentRepository {
  private readonly claimSeconds: number;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) { jobs }: Config,
  ) {
    this.claimSeconds = jobs.leaseSeconds * CLAIM_SHARE;
  }

  /** Milliseconds between two renewals of a claim. */
  get renewClaimMs(): number {
    return (this.claimSeconds * 1000) / 3;
  }

  within(organizationId: string, tx?: Transaction): DocumentScope {
    const rows = (tx ?? this.dataSource.manager).getRepository(DocumentEntity);
    return new DocumentScope(rows, organizationId, this.claimSeconds);
  }

  /** Stored bytes in the knowledge bases of one owner, or of the organization. */
  async bytes(organizationId: string, ownerId: string | null, tx?: Transaction): Promise<number> {
    const manager = tx ?? this.dataSource.manager;
    const [row] = await manager.query<[{ bytes: number }]>(BYTES, [organizationId, ownerId]);
    return row.bytes;
  }

  /** Number of unfinished documents of every organization, counted up to `most`. */
  async countUnfinished(most: number): Promise<number> {
    const rows = await this.dataSource.manager.find(DocumentEntity, {
      select: { id: true },
      where: { status: In(UNFINISHED), deletedAt: IsNull() },
      take: most,
    });
    return rows.length;
  }

  /** Unfinished documents of every organization without a live worker, oldest first, with ids after `after`. */
  neglected(olderThanSeconds: number, limit: number, after: string | null): Promise<DocumentRef[]> {
    return this.dataSource.manager
      .createQueryBuilder(DocumentEntity, 'd')
      .select(['d.id', 'd.organizationId', 'd.knowledgeBaseId'])
      .where(`d.status IN ('pending', 'processing') AND d.deleted_at IS NULL`)
      .andWhere(`(d.status = 'pending' OR d.claimed_until IS NULL OR d.claimed_until < now())`)
      .andWhere('d.updated_at <= now() - make_interval(secs => :olderThanSeconds)', { olderThanSeconds })
      .andWhere('(:after::uuid IS NULL OR d.id > :after::uuid)', { after })
      .orderBy('d.id', 'ASC')
      .limit(limit)
      .getMany();
  }

  /** Ids, of those given, of pending and processing documents. */
  unfinishedOf(ids: readonly string[]): Promise<Set<string>> {
    return this.matching({ id: Any([...ids]), status: In(UNFINISHED), deletedAt: IsNull() });
  }

  /** Ids, of those given, that still have a row. */
  presentOf(ids: readonly string[]): Promise<Set<string>> {
    return this.matching({ id: Any([...ids]) });
  }

  /** Deleted documents of every organization that are not removed yet. */
  hidden(limit: number): Promise<DocumentRef[]> {
    return this.dataSource.manager.find(DocumentEntity, {
      select: { id: true, organizationId: true, knowledgeBaseId: true },
      where: { deletedAt: Not(IsNull()) },
      take: limit,
    });
  }

  /** Documents of every organization with files to delete. */
  withUnusedFiles(limit: number): Promise<DocumentEntity[]> {
    return this.dataSource.manager
      .createQueryBuilder(DocumentEntity, 'd')
      .where(`d.unused_files <> '{}' AND d.deleted_at IS NULL`)
      .limit(limit)
      .getMany();
  }

  /** Storage names, of those given, that documents of the knowledge base use, deleted documents included. */
  async named(organizationId: string, knowledgeBaseId: string, names: readonly string[]): Promise<ReadonlySet<string>> {
    const parameters = [organizationId, knowledgeBaseId, names];
    const rows = await this.dataSource.query<{ name: string }[]>(NAMED_BLOBS, parameters);
    return new Set(rows.map(({ name }) => name));
  }

  /** Generations that were replaced, or left behind by a worker that died or lost its claim. None during a claim. */
  async deadGenerations(documentId: string): Promise<string[]> {
    const rows = await this.dataSource.query<{ generation: string }[]>(DEAD_GENERATIONS, [documentId]);
    return rows.map(({ generation }) => generation);
  }

  /** Ends all leases. For a process that is alone: the workers that hold them are gone. */
  async expireClaims(): Promise<void> {
    await this.dataSource.manager.update(DocumentEntity, { status: 'processing' }, { claimedUntil: () => 'now()' });
  }

  private async matching(where: FindOptionsWhere<DocumentEntity>): Promise<Set<string>> {
    const rows = await this.dataSource.manager.find(DocumentEntity, { select: { id: true }, where });
    return new Set(rows.map(({ id }) => id));
  }
}
