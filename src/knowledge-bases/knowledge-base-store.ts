import { isDeepStrictEqual } from 'node:util';
import { AppError, type Caller, assertCurrent, invalid, notFound, uuidv7 } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { BlobStore } from '../files';
import { AuditLog, VersionedResource } from '../infrastructure/audit';
import { type Transaction, Transactions, isUniqueViolation } from '../infrastructure/database';
import { JobQueue, type RunningJob } from '../infrastructure/jobs';
import { EmbeddingSettings } from './embedding/embedding-settings';
import { IngestionRequests } from './ingestion/ingestion-requests';
import { DocumentPurge } from './ingestion/ingestion.service';
import {
  NEW_INDEX,
  assertSizes,
  chunkSizes,
  columnsOf,
  currentSettings,
  languageColumns,
  needsReingest,
} from './knowledge-base-settings';
import type { CreateKnowledgeBaseDto, UpdateKnowledgeBaseDto } from './knowledge-base.dto';
import { knowledgeBaseSpace } from './storage/document-scope.repository';
import { DocumentRepository } from './storage/document.repository';
import type { KnowledgeBaseEntity } from './storage/knowledge-base.entity';
import { KnowledgeBaseRepository, type KnowledgeBaseScope } from './storage/knowledge-base.repository';
import type { Embedding } from './storage/knowledge-base.types';
import { RowQueue, type RowRef } from './storage/row-queue';
import { isSlug, slugOf } from './storage/slug';

const QUEUE = { name: 'knowledge-base-purge', concurrency: 1, retries: 20, retryDelay: 2, timeoutMs: 60 * 60_000 };
const SWEEP_MS = 60_000;

/** Removes deleted knowledge bases, document by document. A retry continues where the last try stopped. */
@Injectable()
export class KnowledgeBasePurge {
  private readonly queue: RowQueue;

  constructor(
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly documents: DocumentRepository,
    private readonly purge: DocumentPurge,
    private readonly blobs: BlobStore,
    transactions: Transactions,
    jobs: JobQueue,
  ) {
    this.queue = new RowQueue(jobs, QUEUE);
    this.queue.handle((job) => this.run(job));
    jobs.sweep(SWEEP_MS, async () => void (await this.queue.repair(await knowledgeBases.hidden(), transactions)));
  }

  /** Part of the transaction that marks it as deleted. */
  enqueue(knowledgeBase: RowRef, tx: Transaction): Promise<void> {
    return this.queue.send([knowledgeBase], tx);
  }

  /** After the commit. */
  wake(): void {
    this.queue.wake();
  }

  /** Removes a knowledge base that is marked as deleted; others stay. A second call at the same time does no harm. */
  async purgeNow({ organizationId, id }: RowRef, signal: AbortSignal): Promise<void> {
    const scope = this.knowledgeBases.within(organizationId);
    const knowledgeBase = await scope.find(id);
    if (knowledgeBase === null || knowledgeBase.deletedAt === null) return;
    const documents = this.documents.within(organizationId);
    for (let row = await documents.first(id); row !== null; row = await documents.first(id)) {
      signal.throwIfAborted();
      await this.purge.purge(row);
    }
    // Last, because the sweep finds unfinished removals by this row.
    await this.blobs.removeSpace(knowledgeBaseSpace(organizationId, id));
    await scope.remove(id);
  }

  private run({ data, signal }: RunningJob<RowRef>): Promise<void> {
    return this.purgeNow(data, signal);
  }
}

const LABEL = 'Knowledge base';
const SLUG_TRIES = 100;
const CREATE_TRIES = 5;
/** Limit for the check of an embedding model: a person waits for it. */
const CHECK_MS = 20_000;

/** Writes knowledge bases: each change with its audit entry in one transaction. */
@Injectable()
export class KnowledgeBaseStore {
  private readonly versions: VersionedResource<KnowledgeBaseEntity>;

  constructor(
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly embeddings: EmbeddingSettings,
    private readonly requests: IngestionRequests,
    private readonly purge: KnowledgeBasePurge,
  ) {
    this.versions = new VersionedResource(transactions, audit, {
      type: 'knowledge_base',
      label: LABEL,
      within: ({ organizationId }, tx) => knowledgeBases.within(organizationId, tx),
      assertMayChange: (_, { deletedAt }) => {
        if (deletedAt !== null) throw notFound(LABEL);
      },
    });
  }

  /** Without `slug`, the name gives one, with a number if it is taken. */
  async create(caller: Caller, body: CreateKnowledgeBaseDto): Promise<KnowledgeBaseEntity> {
    const { organizationId } = caller;
    const sizes = chunkSizes(body);
    const wish = body.embedding ?? null;
    const embedding = await this.embeddings.choose(organizationId, wish, [], AbortSignal.timeout(CHECK_MS));
    for (let attempt = 1; ; attempt++) {
      const scope = this.knowledgeBases.within(organizationId);
      const slug = body.slug === undefined ? await freeSlug(scope, slugOf(body.name)) : checkedSlug(body.slug);
      try {
        return await this.insert(caller, body, { slug, ...sizes }, embedding);
      } catch (error) {
        if (!isUniqueViolation(error, 'knowledge_bases_slug_uq')) throw error;
        if (body.slug !== undefined || attempt === CREATE_TRIES) throw slugTaken(slug);
      }
    }
  }

  /** Unchanged values make no new version. `expected` null accepts any version. */
  async update(
    caller: Caller,
    read: KnowledgeBaseEntity,
    changes: UpdateKnowledgeBaseDto,
    expected: number | null,
  ): Promise<KnowledgeBaseEntity> {
    assertCurrent(expected, read.version);
    if (changes.slug !== undefined) checkedSlug(changes.slug);
    const after = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    if (Object.keys(after).length === 0) return read;
    assertSizes(read, changes);
    const embedding = await this.wishedEmbedding(read, changes);
    try {
      await this.versions.change({ caller, id: read.id, expected }, 'update', async (row, tx) => {
        assertSizes(row, changes);
        const columns = { ...columnsOf(changes), ...languageColumns(row, changes) };
        if (embedding !== undefined) await this.embeddings.change(row, embedding, tx);
        if (needsReingest(row, columns)) await this.requests.reingest(row, tx);
        const isSame =
          Object.entries(columns).every(([name, value]) => row[name as keyof typeof columns] === value) &&
          (embedding === undefined || isDeepStrictEqual(embedding, row.embedding));
        if (isSame) return null;
        return { values: { ...columns, updatedAt: new Date() }, before: currentSettings(row, changes), after };
      });
    } catch (error) {
      if (isUniqueViolation(error, 'knowledge_bases_slug_uq')) throw slugTaken(changes.slug ?? read.slug);
      throw error;
    }
    this.embeddings.wake();
    return this.found(read);
  }

  /** Marks it as deleted and frees its slug and alias. A job then removes the documents. */
  async hide(caller: Caller, { id, organizationId }: KnowledgeBaseEntity, expected: number | null): Promise<void> {
    await this.versions.change({ caller, id, expected }, 'delete', async ({ name, slug }, tx) => {
      await this.purge.enqueue({ organizationId, id }, tx);
      return { values: { deletedAt: new Date(), slug: id, alias: null }, before: { name, slug } };
    });
    this.purge.wake();
  }

  /** Undefined without a change. */
  private async wishedEmbedding(
    row: KnowledgeBaseEntity,
    { embedding: wish }: UpdateKnowledgeBaseDto,
  ): Promise<Embedding | null | undefined> {
    if (wish === undefined) return undefined;
    const known = [row.embedding, row.vectorEmbedding];
    return this.embeddings.choose(row.organizationId, wish, known, AbortSignal.timeout(CHECK_MS));
  }

  private async insert(
    caller: Caller,
    body: CreateKnowledgeBaseDto,
    values: Pick<KnowledgeBaseEntity, 'slug' | 'chunkSize' | 'chunkOverlap'>,
    embedding: Embedding | null,
  ): Promise<KnowledgeBaseEntity> {
    const id = await this.transactions.once('knowledge_base.create', async (tx) => {
      const id = uuidv7();
      const scope = this.knowledgeBases.within(caller.organizationId, tx);
      const index = await this.embeddings.initial(embedding, tx);
      const settings = { ...NEW_INDEX, ...columnsOf(body), ...languageColumns(NEW_INDEX, body) };
      await scope.insert({ ...settings, ...values, ...index, id, ownerId: caller.userId });
      const after = { ...body, slug: values.slug };
      const target = { type: 'knowledge_base', id };
      await this.audit.record({ caller, action: 'knowledge_base.create', target, after }, tx);
      return id;
    });
    return this.found({ id, organizationId: caller.organizationId });
  }

  private async found({ id, organizationId }: RowRef): Promise<KnowledgeBaseEntity> {
    const row = await this.knowledgeBases.within(organizationId).find(id);
    if (row === null) throw notFound(LABEL);
    return row;
  }
}

const slugTaken = (slug: string): AppError =>
  new AppError('conflict', `Another knowledge base has the slug ${slug}`, {
    problems: [{ path: 'slug', message: 'is taken', code: 'value.taken' }],
  });

function checkedSlug(slug: string): string {
  if (isSlug(slug)) return slug;
  const message = 'must be lower-case letters, digits and single hyphens, with at least one letter, and no UUID';
  throw invalid([{ path: 'slug', message, code: 'value.slug' }]);
}

/** The wish, with a number if it is taken. */
export async function freeSlug(scope: KnowledgeBaseScope, wish: string): Promise<string> {
  for (let number = 1; number <= SLUG_TRIES; number++) {
    const slug = number === 1 ? wish : `${wish}-${number}`;
    if (!(await scope.slugTaken(slug))) return slug;
  }
  return `${wish.slice(0, 40)}-${uuidv7().slice(0, 18)}`;
}
