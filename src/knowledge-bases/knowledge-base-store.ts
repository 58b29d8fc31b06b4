import { Injectable } from '@nestjs/common';
import { AppError, assertCurrent, type Caller, invalid, notFound, uuidv7 } from '../kernel';
import { AuditLog } from '../platform/audit';
import { isUniqueViolation, Transactions } from '../platform/database';
import { VersionedResource } from '../platform/resources';
import { KnowledgeBasePurge } from './knowledge-base-purge';
import type { KnowledgeBaseEntity } from './storage/knowledge-base.entity';
import { KnowledgeBaseRepository, type KnowledgeBaseScope } from './storage/knowledge-base.repository';
import { chunkSizes, KnowledgeBaseSettings } from './knowledge-base-settings';
import type { Embedding, KnowledgeBaseChanges, NewKnowledgeBase } from './storage/knowledge-base.types';
import { isSlug, slugOf } from './storage/slug';

const LABEL = 'Knowledge base';
const SLUG_TRIES = 100;
const CREATE_TRIES = 5;

interface ChosenSettings {
  readonly sizes: { readonly size: number; readonly overlap: number };
  readonly embedding: Embedding | null;
}

/** Writes knowledge bases: each change with its audit entry in one transaction. */
@Injectable()
export class KnowledgeBaseStore {
  private readonly versions: VersionedResource<KnowledgeBaseEntity>;

  constructor(
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly settings: KnowledgeBaseSettings,
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
      await this.versions.change({ caller, id: read.id, expected }, 'update', async (old, tx) => {
        const plan = this.settings.plan(old, changes, embedding);
        await this.settings.apply(old, plan, tx);
        const columns = { ...plan.columns, updatedAt: new Date() };
        return plan.changes ? { values: columns, before: beforeOf(old, values), after: values } : null;
      });
    } catch (error) {
      if (isUniqueViolation(error, 'knowledge_bases_slug_uq')) throw slugTaken(changes.slug ?? read.slug);
      throw error;
    }
    this.settings.wake();
    return this.found(read);
  }

  /** Hides it from everybody and frees its slug; a job then removes its documents. */
  async hide(caller: Caller, { id, organizationId }: KnowledgeBaseEntity, expected: number | null): Promise<void> {
    await this.versions.change({ caller, id, expected }, 'delete', async ({ name, slug }, tx) => {
      await this.purge.enqueue({ organizationId, id }, tx);
      return { values: { deletedAt: new Date(), slug: id }, before: { name, slug } };
    });
    this.purge.wake();
  }

  private async insert(
    caller: Caller,
    body: NewKnowledgeBase,
    slug: string,
    { sizes, embedding }: ChosenSettings,
  ): Promise<KnowledgeBaseEntity> {
    const id = await this.transactions.once('knowledge_base.create', async (tx) => {
      const id = uuidv7();
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
      return id;
    });
    return this.found({ id, organizationId: caller.organizationId });
  }

  private async found({
    id,
    organizationId,
  }: Pick<KnowledgeBaseEntity, 'id' | 'organizationId'>): Promise<KnowledgeBaseEntity> {
    const row = await this.knowledgeBases.within(organizationId).find(id);
    if (row === null) throw notFound(LABEL);
    return row;
  }
}

/** Old values of the members that a change names. */
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
