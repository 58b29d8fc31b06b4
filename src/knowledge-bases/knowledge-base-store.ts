import { Injectable } from '@nestjs/common';
import { AppError, type Caller, invalid, notFound, uuidv7 } from '../kernel';
import { AuditLog } from '../platform/audit';
import { isUniqueViolation, Transactions } from '../platform/database';
import { KnowledgeBasePurge } from './knowledge-base-purge';
import type { KnowledgeBaseEntity } from './knowledge-base.entity';
import { KnowledgeBaseRepository, type KnowledgeBaseScope } from './knowledge-base.repository';
import type { KnowledgeBaseChanges, NewKnowledgeBase } from './knowledge-base.types';
import { isSlug, slugOf } from './slug';

/** Characters: a page or so, which measured best over collections in three languages. */
const CHUNK_SIZE = 2000;
const CHUNK_OVERLAP = 200;
const SLUG_TRIES = 100;
const CREATE_TRIES = 5;

/** Writes knowledge bases: each change with its audit entry in one transaction. */
@Injectable()
export class KnowledgeBaseStore {
  constructor(
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly purge: KnowledgeBasePurge,
  ) {}

  /** Without a slug of its own, it gets one from its name, numbered when that is taken. */
  async create(caller: Caller, body: NewKnowledgeBase): Promise<KnowledgeBaseEntity> {
    const overlap = body.chunk_overlap ?? Math.min(CHUNK_OVERLAP, Math.floor((body.chunk_size ?? CHUNK_SIZE) / 4));
    if (overlap * 2 > (body.chunk_size ?? CHUNK_SIZE)) {
      throw invalid([{ path: 'chunk_overlap', message: 'must be at most half of chunk_size' }]);
    }
    for (let attempt = 1; ; attempt++) {
      const scope = this.knowledgeBases.within(caller.organizationId);
      const slug = body.slug === undefined ? await freeSlug(scope, slugOf(body.name)) : checkedSlug(body.slug);
      try {
        return await this.insert(caller, body, slug, overlap);
      } catch (error) {
        if (!isUniqueViolation(error, 'knowledge_bases_slug_uq')) throw error;
        if (body.slug !== undefined || attempt === CREATE_TRIES) throw slugTaken(slug);
      }
    }
  }

  async update(caller: Caller, old: KnowledgeBaseEntity, changes: KnowledgeBaseChanges): Promise<KnowledgeBaseEntity> {
    if (changes.slug !== undefined) checkedSlug(changes.slug);
    const values = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    if (Object.keys(values).length === 0) return old;
    try {
      return await this.transactions.run(async (tx) => {
        const scope = this.knowledgeBases.within(caller.organizationId, tx);
        if (!(await scope.update(old.id, values))) throw notFound('Knowledge base');
        const before = { name: old.name, slug: old.slug, description: old.description, visibility: old.visibility };
        const target = { type: 'knowledge_base', id: old.id };
        await this.audit.record({ caller, action: 'knowledge_base.update', target, before, after: values }, tx);
        const row = await scope.find(old.id);
        if (row === null) throw notFound('Knowledge base');
        return row;
      });
    } catch (error) {
      if (isUniqueViolation(error, 'knowledge_bases_slug_uq')) throw slugTaken(changes.slug ?? old.slug);
      throw error;
    }
  }

  /** Takes it out of everybody's sight and frees its slug; a job then removes what is left of it. */
  async hide(caller: Caller, { id, organizationId, name, slug }: KnowledgeBaseEntity): Promise<void> {
    await this.transactions.run(async (tx) => {
      const changes = { deletedAt: new Date(), slug: id };
      if (!(await this.knowledgeBases.within(organizationId, tx).update(id, changes))) throw notFound('Knowledge base');
      const target = { type: 'knowledge_base', id };
      await this.purge.enqueue({ organizationId, id }, tx);
      await this.audit.record({ caller, action: 'knowledge_base.delete', target, before: { name, slug } }, tx);
    });
    this.purge.wake();
  }

  private insert(caller: Caller, body: NewKnowledgeBase, slug: string, overlap: number): Promise<KnowledgeBaseEntity> {
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
        chunkSize: body.chunk_size ?? CHUNK_SIZE,
        chunkOverlap: overlap,
      });
      const target = { type: 'knowledge_base', id };
      await this.audit.record({ caller, action: 'knowledge_base.create', target, after: { ...body, slug } }, tx);
      const row = await scope.find(id);
      if (row === null) throw notFound('Knowledge base');
      return row;
    });
  }
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
