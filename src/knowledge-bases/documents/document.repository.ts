import { Inject, Injectable } from '@nestjs/common';
import { Any, DataSource, type FindOptionsWhere, In, IsNull, MoreThan, Not, type Repository } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity';
import { CONFIG, type Config } from '../../platform/config';
import { TenantScope, type Transaction } from '../../platform/database';
import { DocumentEntity } from './document.entity';
import type { DocumentStatus } from '../knowledge-base.types';

export interface DocumentFilter {
  readonly knowledgeBaseId: string;
  readonly status: DocumentStatus | null;
  readonly limit: number;
  /** Id of the last one of the page before. */
  readonly after: string | null;
}

export interface DocumentRef {
  readonly id: string;
  readonly organizationId: string;
  readonly knowledgeBaseId: string;
}

/** Documents that wait or are processed. */
export interface Backlog {
  readonly organization: number;
  readonly knowledgeBase: number;
}

type NewDocument = Pick<
  DocumentEntity,
  'id' | 'knowledgeBaseId' | 'filename' | 'contentType' | 'size' | 'sha256' | 'storageName' | 'status'
>;

/** Of the job's lease: shorter, so that a job that is handed on finds its document free. */
const CLAIM_SHARE = 0.8;
const READ_SLICE = 500;
const UNFINISHED: DocumentStatus[] = ['pending', 'processing'];

const DEAD_GENERATIONS = `
  SELECT DISTINCT c.generation FROM kb_documents d JOIN kb_chunks c ON c.document_id = d.id
  WHERE d.id = $1 AND c.generation IS DISTINCT FROM d.generation AND d.claim IS NULL`;

const SETBACK = `
  CASE WHEN status <> 'failed' THEN setback
  WHEN answering IS NOT NULL THEN jsonb_build_object('error', error, 'errorCode', error_code) END`;

/** What a document starts anew with. */
export const WAITING = {
  status: 'pending',
  error: null,
  errorCode: null,
  attempts: 0,
  claim: null,
  claimedUntil: null,
  progressCurrent: 0,
  progressTotal: 0,
  setback: null,
} as const satisfies Partial<DocumentEntity>;

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

  /** Documents of every organization that nobody works on although they wait or their worker is gone, oldest first, from `after` on. */
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

  /** Those of the documents that wait or are processed. */
  unfinishedOf(ids: readonly string[]): Promise<Set<string>> {
    return this.matching({ id: Any([...ids]), status: In(UNFINISHED), deletedAt: IsNull() });
  }

  /** Those of the documents of which something is left. */
  presentOf(ids: readonly string[]): Promise<Set<string>> {
    return this.matching({ id: Any([...ids]) });
  }

  /** Documents of every organization that are being taken apart. */
  hidden(limit: number): Promise<DocumentRef[]> {
    return this.dataSource.manager.find(DocumentEntity, {
      select: { id: true, organizationId: true, knowledgeBaseId: true },
      where: { deletedAt: Not(IsNull()) },
      take: limit,
    });
  }

  /** Documents of every organization for which files lie in the store that nothing needs. */
  withUnusedFiles(limit: number): Promise<DocumentEntity[]> {
    return this.dataSource.manager
      .createQueryBuilder(DocumentEntity, 'd')
      .where(`d.unused_files <> '{}' AND d.deleted_at IS NULL`)
      .limit(limit)
      .getMany();
  }

  /**
   * Generations of chunks that no longer answer and never will: left over by workers that have died or lost their claim,
   * or replaced. None while a claim is on the document.
   */
  async deadGenerations(documentId: string): Promise<string[]> {
    const rows = await this.dataSource.query<{ generation: string }[]>(DEAD_GENERATIONS, [documentId]);
    return rows.map(({ generation }) => generation);
  }

  /** For a process that is alone: every claim belongs to one that is gone. */
  async voidClaims(): Promise<void> {
    await this.dataSource.manager.update(DocumentEntity, { status: 'processing' }, { claimedUntil: () => 'now()' });
  }

  private async matching(where: FindOptionsWhere<DocumentEntity>): Promise<Set<string>> {
    const rows = await this.dataSource.manager.find(DocumentEntity, { select: { id: true }, where });
    return new Set(rows.map(({ id }) => id));
  }
}

export class DocumentScope extends TenantScope<DocumentEntity> {
  constructor(
    rows: Repository<DocumentEntity>,
    organizationId: string,
    private readonly claimSeconds: number,
  ) {
    super(rows, organizationId);
  }

  private readonly untilLeaseEnds = (): string => `now() + interval '${this.claimSeconds} seconds'`;

  findIn(knowledgeBaseId: string, id: string): Promise<DocumentEntity | null> {
    return this.rows.findOneBy(this.where({ id, knowledgeBaseId, deletedAt: IsNull() }));
  }

  named(knowledgeBaseId: string, filenames: readonly string[]): Promise<DocumentEntity[]> {
    return this.rows.findBy(this.where({ knowledgeBaseId, filename: Any([...filenames]), deletedAt: IsNull() }));
  }

  /** In slices, so that making ten thousand objects does not keep others waiting. */
  async ofIds(ids: readonly string[]): Promise<Map<string, DocumentEntity>> {
    const found = new Map<string, DocumentEntity>();
    for (let first = 0; first < ids.length; first += READ_SLICE) {
      const rows = await this.rows.findBy(this.where({ id: Any(ids.slice(first, first + READ_SLICE)) }));
      for (const row of rows) found.set(row.id, row);
    }
    return found;
  }

  async page({
    knowledgeBaseId,
    status,
    limit,
    after,
  }: DocumentFilter): Promise<[rows: DocumentEntity[], total: number]> {
    const filter = this.where({ knowledgeBaseId, deletedAt: IsNull(), ...(status === null ? {} : { status }) });
    const where = after === null ? filter : { ...filter, id: MoreThan(after) };
    const rows = await this.rows.find({ where, order: { id: 'ASC' }, take: limit });
    return [rows, await this.rows.countBy(filter)];
  }

  /** How many documents wait or are processed. */
  async backlog(knowledgeBaseId: string): Promise<Backlog> {
    const counts = await this.rows
      .createQueryBuilder('d')
      .select('count(*)::int', 'organization')
      .addSelect('count(*) FILTER (WHERE d.knowledge_base_id = :knowledgeBaseId)::int', 'knowledgeBase')
      .where(`d.organization_id = :organizationId AND d.status IN ('pending', 'processing') AND d.deleted_at IS NULL`)
      .setParameters({ knowledgeBaseId, organizationId: this.organizationId })
      .getRawOne<Backlog>();
    return counts ?? { organization: 0, knowledgeBase: 0 };
  }

  async insertAll(values: readonly NewDocument[]): Promise<void> {
    if (values.length === 0) return;
    const rows = values.map((value) => ({ ...value, organizationId: this.organizationId, title: null, error: null }));
    await this.rows.createQueryBuilder().insert().values(rows).updateEntity(false).execute();
  }

  /**
   * Makes documents wait again, all but deleted ones and those that failed without ever having answered; returns their ids.
   * Where a replacement has failed, it is what answers that is read again, and the failure stays.
   */
  restart(knowledgeBaseId: string): Promise<string[]> {
    return this.makeWait(knowledgeBaseId, `(status <> 'failed' OR generation IS NOT NULL)`, { setback: () => SETBACK });
  }

  restartFailed(knowledgeBaseId: string): Promise<string[]> {
    return this.makeWait(knowledgeBaseId, `status = 'failed'`);
  }

  /** Takes a waiting document, or one whose worker is gone, for processing; null when somebody else did. */
  async claim(id: string, claim: string): Promise<DocumentEntity | null> {
    const { affected } = await this.rows
      .createQueryBuilder()
      .update()
      .set({
        status: 'processing',
        claim,
        claimedUntil: this.untilLeaseEnds,
        attempts: () => 'attempts + 1',
        progressCurrent: 0,
        progressTotal: 0,
      })
      .where('id = :id AND organization_id = :organizationId', { id, organizationId: this.organizationId })
      .andWhere(
        `deleted_at IS NULL AND (status = 'pending' OR (status = 'processing' AND coalesce(claimed_until < now(), true)))`,
      )
      .execute();
    return affected === 1 ? this.find(id) : null;
  }

  /** Renews the claim and tells how far it is; false when the claim is lost. */
  async advance(id: string, claim: string, progress: { current?: number; total?: number } = {}): Promise<boolean> {
    const { affected } = await this.rows.update(this.where({ id, claim }), {
      claimedUntil: this.untilLeaseEnds,
      ...(progress.current === undefined ? {} : { progressCurrent: progress.current }),
      ...(progress.total === undefined ? {} : { progressTotal: progress.total }),
    });
    return affected === 1;
  }

  /** Ends a claim with its result; false when it was lost before. */
  async finish(id: string, claim: string, result: QueryDeepPartialEntity<DocumentEntity>): Promise<boolean> {
    const { affected } = await this.rows.update(this.where({ id, claim }), {
      ...result,
      claim: null,
      claimedUntil: null,
    });
    return affected === 1;
  }

  /** The bytes are gone. */
  async forgetFiles(id: string, names: readonly string[]): Promise<void> {
    const left = 'ARRAY(SELECT name FROM unnest(unused_files) name WHERE name <> ALL (:names::text[]))';
    await this.rows
      .createQueryBuilder()
      .update()
      .set({ unusedFiles: () => left })
      .where('id = :id AND organization_id = :organizationId', { id, organizationId: this.organizationId, names })
      .execute();
  }

  /** Some document of the knowledge base, deleted or not, while there is one. */
  first(knowledgeBaseId: string): Promise<DocumentEntity | null> {
    return this.rows.findOne({ where: this.where({ knowledgeBaseId }), order: { id: 'ASC' } });
  }

  private async makeWait(
    knowledgeBaseId: string,
    which: string,
    changes: QueryDeepPartialEntity<DocumentEntity> = {},
  ): Promise<string[]> {
    const result = await this.rows
      .createQueryBuilder()
      .update()
      .set({ ...WAITING, ...changes })
      .where('knowledge_base_id = :knowledgeBaseId AND organization_id = :organizationId AND deleted_at IS NULL', {
        knowledgeBaseId,
        organizationId: this.organizationId,
      })
      .andWhere(which)
      .returning('id')
      .execute();
    return (result.raw as { id: string }[]).map(({ id }) => id).sort();
  }
}
