import { Injectable } from '@nestjs/common';
import { notFound, type Principal } from '../../../kernel';
import { ExternalCollectionRepository } from '../../external/external-collection.repository';
import type { KnowledgeBaseEntity } from '../../storage/knowledge-base.entity';
import { KnowledgeBaseRepository } from '../../storage/knowledge-base.repository';
import { referenceName } from './collection-names';

export interface Resolved {
  /** Reference as written → the knowledge base it names. */
  readonly own: ReadonlyMap<string, KnowledgeBaseEntity>;
  /** For the external server, which the organization may or may not have. */
  readonly external: readonly string[];
  /** Name a knowledge base that the owner may not read, or one that was deleted. */
  readonly denied: readonly string[];
}

/** Ids of knowledge bases are UUIDv7 (RFC 9562 §5.7): one that no row has belongs to a deleted knowledge base. */
const isOurId = (ref: string): boolean => /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i.test(ref);

/** What the entries of `collections` name, read anew at every question. */
@Injectable()
export class CollectionReferences {
  constructor(
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly listed: ExternalCollectionRepository,
  ) {}

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
    const isExternal = (ref: string): boolean => named.get(ref) === undefined && !isOurId(ref);
    return {
      own,
      external: refs.filter(isExternal),
      denied: refs.filter((ref) => !own.has(ref) && !isExternal(ref)),
    };
  }

  /** References to the external server that the organization's list of its collections leaves out. */
  async unlisted(owner: Principal, refs: readonly string[]): Promise<string[]> {
    const { external } = await this.resolve(owner, refs);
    if (external.length === 0) return [];
    const missing = new Set(await this.listed.unlisted(owner.organizationId, external.map(referenceName)));
    return external.filter((ref) => missing.has(referenceName(ref)));
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
