import { normalisedName } from '@bellwether/kernel';
import { Any, IsNull, MoreThan, type Repository } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity';
import type { BlobSpace } from '../../files';
import { TenantScope } from '../../infrastructure/database';
import type { DocumentEntity } from './document.entity';
import type { DocumentStatus } from './knowledge-base.types';

/** Folder of the original files of a knowledge base. */
export const knowledgeBaseSpace = (organizationId: string, knowledgeBaseId: string): BlobSpace => [
  'knowledge-bases',
  organizationId,
  knowledgeBaseId,
];

export interface DocumentFilter {
  readonly knowledgeBaseId: string;
  readonly status: DocumentStatus | null;
  readonly limit: number;
  /** Id of the last item of the previous page. */
  readonly after: string | null;
}

/** Numbers of unfinished documents. */
export interface Backlog {
  readonly organization: number;
  readonly knowledgeBase: number;
}

type NewDocument = Pick<
  DocumentEntity,
  'id' | 'knowledgeBaseId' | 'filename' | 'sourceUrl' | 'contentType' | 'size' | 'sha256' | 'storageName' | 'status'
>;

export interface Progress {
  readonly current?: number;
  readonly total?: number;
  /** The text was read and stored: whatever ends the process now, the document is not the reason. */
  readonly isHarmless?: boolean;
}

const READ_SLICE = 500;

const SETBACK = `
  CASE WHEN status <> 'failed' THEN setback
  WHEN answering IS NOT NULL THEN jsonb_build_object('error', error, 'errorCode', error_code) END`;

/** Column values of a document that waits for processing. */
export const WAITING = {
  status: 'pending',
  error: null,
  errorCode: null,
  attempts: 0,
  lostStarts: 0,
  claim: null,
  claimedUntil: null,
  progressCurrent: 0,
  progressTotal: 0,
  setback: null,
} as const satisfies Partial<DocumentEntity>;

/** Documents of one organization. */
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

  /** Documents with these names, also those that an earlier version stored as a Mac spells them. */
  named(knowledgeBaseId: string, filenames: readonly string[]): Promise<DocumentEntity[]> {
    const spellings = filenames.flatMap((name) => [normalisedName(name), name.normalize('NFD')]);
    return this.rows.findBy(this.where({ knowledgeBaseId, filename: Any(spellings), deletedAt: IsNull() }));
  }

  /** Documents by id, read in slices: creating ten thousand entities at once blocks the event loop. */
  async ofIds(ids: readonly string[]): Promise<Map<string, DocumentEntity>> {
    const found = new Map<string, DocumentEntity>();
    for (let first = 0; first < ids.length; first += READ_SLICE) {
      const rows = await this.rows.findBy(this.where({ id: Any(ids.slice(first, first + READ_SLICE)) }));
      for (const row of rows) found.set(row.id, row);
    }
    return found;
  }

  /** Numbers of documents by knowledge base, without entries for 0. */
  async counts(knowledgeBaseIds: readonly string[]): Promise<Map<string, number>> {
    const found = await this.rows
      .createQueryBuilder('d')
      .select('d.knowledge_base_id', 'id')
      .addSelect('count(*)::int', 'documents')
      .where({ ...this.where({ knowledgeBaseId: Any([...knowledgeBaseIds]), deletedAt: IsNull() }) })
      .groupBy('d.knowledge_base_id')
      .getRawMany<{ id: string; documents: number }>();
    return new Map(found.map(({ id, documents }) => [id, documents]));
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
   * Makes documents wait again, except those that failed and have no chunks. Returns their ids. Where a replacement failed,
   * the answering file is processed again and the failure stays.
   */
  restart(knowledgeBaseId: string): Promise<string[]> {
    return this.makeWait(knowledgeBaseId, `(status <> 'failed' OR generation IS NOT NULL)`, { setback: () => SETBACK });
  }

  restartFailed(knowledgeBaseId: string): Promise<string[]> {
    return this.makeWait(knowledgeBaseId, `status = 'failed'`);
  }

  /** Claims a waiting document, or one with an expired lease. Null when another worker has it. */
  async claim(id: string, claim: string): Promise<DocumentEntity | null> {
    const { affected } = await this.rows
      .createQueryBuilder()
      .update()
      .set({
        status: 'processing',
        claim,
        claimedUntil: this.untilLeaseEnds,
        attempts: () => 'attempts + 1',
        // A claim that ends takes its start back: what is left was lost with its process.
        lostStarts: () => 'lost_starts + 1',
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

  /** Renews the lease and writes the progress. False when the claim is lost. */
  async advance(id: string, claim: string, progress: Progress = {}): Promise<boolean> {
    const { affected } = await this.rows.update(this.where({ id, claim }), {
      claimedUntil: this.untilLeaseEnds,
      ...(progress.current === undefined ? {} : { progressCurrent: progress.current }),
      ...(progress.total === undefined ? {} : { progressTotal: progress.total }),
      ...(progress.isHarmless === true ? { lostStarts: 0 } : {}),
    });
    return affected === 1;
  }

  /** Ends the claim and writes the result. False when the claim was lost. */
  async finish(id: string, claim: string, result: QueryDeepPartialEntity<DocumentEntity>): Promise<boolean> {
    const { affected } = await this.rows.update(this.where({ id, claim }), {
      ...result,
      lostStarts: 0,
      claim: null,
      claimedUntil: null,
    });
    return affected === 1;
  }

  /** Called when the files are deleted. */
  async forgetFiles(id: string, names: readonly string[]): Promise<void> {
    const left = 'ARRAY(SELECT name FROM unnest(unused_files) name WHERE name <> ALL (:names::text[]))';
    await this.rows
      .createQueryBuilder()
      .update()
      .set({ unusedFiles: () => left })
      .where('id = :id AND organization_id = :organizationId', { id, organizationId: this.organizationId, names })
      .execute();
  }

  /** Any document of the knowledge base, deleted ones included. */
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
