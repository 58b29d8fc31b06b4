import { Injectable } from '@nestjs/common';
import { notFound, type Principal } from '../../kernel';
import type { KnowledgeBaseEntity } from '../knowledge-base.entity';
import { KnowledgeBaseRepository } from '../knowledge-base.repository';

export interface Resolved {
  /** Reference as written → the knowledge base it names. */
  readonly own: ReadonlyMap<string, KnowledgeBaseEntity>;
  /** For the external server, which the organization may or may not have. */
  readonly external: readonly string[];
  /** Name a knowledge base that the owner may not read. */
  readonly denied: readonly string[];
}

/** What the entries of `collections` name, read anew at every question. */
@Injectable()
export class CollectionReferences {
  constructor(private readonly knowledgeBases: KnowledgeBaseRepository) {}

  /** A reference that names a knowledge base of the organization is never passed on to the external server, readable or not. */
  async resolve(owner: Principal, refs: readonly string[]): Promise<Resolved> {
    const scope = this.knowledgeBases.within(owner.organizationId);
    const rows = await scope.named(refs);
    const readable = await scope.readableOf(
      owner,
      rows.map(({ id }) => id),
    );
    const named = new Map(
      refs.map((ref) => [ref, rows.find(({ id, slug }) => id === ref.toLowerCase() || slug === ref)]),
    );
    const own = new Map<string, KnowledgeBaseEntity>();
    for (const [ref, row] of named) if (row !== undefined && readable.has(row.id)) own.set(ref, row);
    return {
      own,
      external: refs.filter((ref) => named.get(ref) === undefined),
      denied: refs.filter((ref) => named.get(ref) !== undefined && !own.has(ref)),
    };
  }

  /**
   * Changes whenever the answers of these collections may; null where one of them belongs to the external server, which does
   * not tell. Throws `not_found` when the owner may not read one.
   */
  async contentVersion(owner: Principal, refs: readonly string[]): Promise<string | null> {
    const states = await this.knowledgeBases.states(owner, refs);
    const named = refs.map((ref) => states.find(({ id, slug }) => id === ref.toLowerCase() || slug === ref));
    if (named.includes(undefined)) return null;
    if (named.some((state) => state?.readable === false)) throw notFound('Knowledge base');
    return named.map((state) => `${state?.id} ${state?.settings} ${state?.documents}`).join(' ');
  }
}
