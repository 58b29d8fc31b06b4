import { Injectable } from '@nestjs/common';
import { AppError, assertCurrent, type Caller, invalid, notFound, staleVersion, uuidv7 } from '../kernel';
import { AuditLog } from '../platform/audit';
import { isUniqueViolation, type Transaction, Transactions } from '../platform/database';
import { KnowledgeBasePurge } from './knowledge-base-purge';
import type { KnowledgeBaseEntity } from './knowledge-base.entity';
import { KnowledgeBaseRepository, type KnowledgeBaseScope } from './knowledge-base.repository';
import { chunkSizes, KnowledgeBaseSettings, type PlannedChange } from './knowledge-base-settings';
import type { Embedding, KnowledgeBaseChanges, NewKnowledgeBase } from './knowledge-base.types';
import { isSlug, slugOf } from './slug';

const SLUG_TRIES = 100;
const CREATE_TRIES = 5;

interface ChosenSettings {
  readonly sizes: { readonly size: number; readonly overlap: number };
  readonly embedding: Embedding | null;
}

/** Writes knowledge bases: each change with its audit entry in one transaction. */
@Injectable()
export class KnowledgeBaseStore {
  constructor(
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly settings: KnowledgeBaseSettings,
    private readonly purge: KnowledgeBasePurge,
  ) {}

  /** Without a slug of its own, it gets one from its name, numbered when that is taken. */
  async create(caller: Caller, body: NewKnowledgeBase): Promise<KnowledgeBaseEntity> {
    const sizes = chunkSizes(body);
    const embedding = await this.settings.chosen(caller.organizationId, body);
    for (let attempt = 1; ; attempt++) {
      const scope = this.knowledgeBases.within(caller.organizationId);
      const slug = body.slug === undefined ? await freeSlug(scope, slugOf(body.name)) : checkedSlug(body.slug);
      try {
        return await this.insert(caller, body, slug, { sizes, embedding });
      } catch (error) {
        if (!isUniqueViolation(error, 'knowledge_bases_slug_uq')) throw error;
        if (body.slug !== undefined || attempt === CREATE_TRIES) throw slugTaken(slug);
      }
    }
  }

  /** Saving what is already there makes no version. `expected` null takes whatever is current. */
  async update(
    caller: Caller,
    read: KnowledgeBaseEntity,
    changes: KnowledgeBaseChanges,
    expected: number | null,
  ): Promise<KnowledgeBaseEntity> {
    assertCurrent(expected, read.version);
    if (changes.slug !== undefined) checkedSlug(changes.slug);
    const values = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    if (Object.keys(values).length === 0) return read;
    const embedding = await this.settings.wished(read, changes);
    try {
      const changed = await this.transactions.run(async (tx) => {
        const scope = this.knowledgeBases.within(read.organizationId, tx);
        const old = await locked(scope, read.id, expected);
        const plan = this.settings.plan(old, changes, embedding);
        if (plan.changes) await this.advance(caller, old, { columns: plan.columns, values }, tx);
        await this.settings.apply(old, plan, tx);
        return (await scope.find(old.id)) ?? old;
      });
      this.settings.wake();
      return changed;
    } catch (error) {
      if (isUniqueViolation(error, 'knowledge_bases_slug_uq')) throw slugTaken(changes.slug ?? read.slug);
      throw error;
    }
  }

  /** Takes it out of everybody's sight and frees its slug; a job then removes what is left of it. */
  async hide(caller: Caller, { id, organizationId }: KnowledgeBaseEntity, expected: number | null): Promise<void> {
    await this.transactions.run(async (tx) => {
      const scope = this.knowledgeBases.within(organizationId, tx);
      const row = await locked(scope, id, expected);
      if (!(await scope.advance(row, { deletedAt: new Date(), slug: id }))) throw staleVersion();
      const { name, slug } = row;
      const target = { type: 'knowledge_base', id };
      await this.purge.enqueue({ organizationId, id }, tx);
      await this.audit.record({ caller, action: 'knowledge_base.delete', target, before: { name, slug } }, tx);
    });
    this.purge.wake();
  }

  private async advance(
    caller: Caller,
    old: KnowledgeBaseEntity,
    { columns, values }: { columns: PlannedChange['columns']; values: object },
    tx: Transaction,
  ): Promise<void> {
    const scope = this.knowledgeBases.within(old.organizationId, tx);
    if (!(await scope.advance(old, { ...columns, updatedAt: new Date() }))) throw staleVersion();
    const target = { type: 'knowledge_base', id: old.id };
    const before = beforeOf(old, values);
    await this.audit.record({ caller, action: 'knowledge_base.update', target, before, after: values }, tx);
  }

  private insert(
    caller: Caller,
    body: NewKnowledgeBase,
    slug: string,
    { sizes, embedding }: ChosenSettings,
  ): Promise<KnowledgeBaseEntity> {
    const id = uuidv7();
    return this.transactions.run(async (tx) => {
      const scope = this.knowledgeBases.within(caller.organizationId, tx);
      await scope.insert({
        id,
        ownerId: caller.userId,
        slug,
        name: body.name,
        description: body.description ?? '',
        language: body.language ?? null,
        visibility: body.visibility ?? 'private',
        chunkSize: sizes.size,
        chunkOverlap: sizes.overlap,
        hybridWeight: body.hybrid_weight ?? null,
        ...(await this.settings.initial(embedding, tx)),
      });
      const target = { type: 'knowledge_base', id };
      await this.audit.record({ caller, action: 'knowledge_base.create', target, after: { ...body, slug } }, tx);
      const row = await scope.find(id);
      if (row === null) throw notFound('Knowledge base');
      return row;
    });
  }
}

/** Nobody else changes it until the transaction of the scope ends. */
async function locked(scope: KnowledgeBaseScope, id: string, expected: number | null): Promise<KnowledgeBaseEntity> {
  const row = await scope.lock(id);
  if (row === null || row.deletedAt !== null) throw notFound('Knowledge base');
  assertCurrent(expected, row.version);
  return row;
}

/** What of the old values a change touches; the embedding is told by its model. */
function beforeOf(old: KnowledgeBaseEntity, values: object): Record<string, unknown> {
  const all: Record<string, unknown> = {
    name: old.name,
    slug: old.slug,
    description: old.description,
    visibility: old.visibility,
    language: old.language,
    chunk_size: old.chunkSize,
    chunk_overlap: old.chunkOverlap,
    hybrid_weight: old.hybridWeight,
    embedding: old.embedding,
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => name in values));
}

const slugTaken = (slug: string): AppError =>
  new AppError('conflict', `Another knowledge base has the slug ${slug}`, {
    problems: [{ path: 'slug', message: 'is taken' }],
  });

function checkedSlug(slug: string): string {
  if (isSlug(slug)) return slug;
  const message = 'must be lower-case letters, digits and single hyphens, with at least one letter, and no UUID';
  throw invalid([{ path: 'slug', message }]);
}

async function freeSlug(scope: KnowledgeBaseScope, wish: string): Promise<string> {
  for (let number = 1; number <= SLUG_TRIES; number++) {
    const slug = number === 1 ? wish : `${wish}-${number}`;
    if (!(await scope.slugTaken(slug))) return slug;
  }
  return `${wish.slice(0, 40)}-${uuidv7().slice(0, 18)}`;
}
