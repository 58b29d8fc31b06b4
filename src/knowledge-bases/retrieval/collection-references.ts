import { Injectable } from '@nestjs/common';
import type { Principal } from '../../kernel';
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
}
