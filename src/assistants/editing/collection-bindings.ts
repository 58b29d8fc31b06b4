import { Injectable } from '@nestjs/common';
import {
  type CollectionIds,
  collectionNames,
  type Definition,
  storedDefinition,
  unboundKey,
  unboundKeys,
} from '../definition';
import type { Principal } from '../../kernel';
import { CollectionNames, RetrievalService } from '../../knowledge-bases';
import type { Transaction } from '../../infrastructure/database';

/** Members of a definition that name collections. */
const MEMBERS = ['collections', 'kb_id', 'collection_id'] as const;

/**
 * Resolves a definition's collection names once, when they are first saved. Otherwise an editor could name a knowledge
 * base that the owner makes later, and read it with the owner's rights.
 */
@Injectable()
export class CollectionBindings {
  constructor(
    private readonly names: CollectionNames,
    private readonly retrieval: RetrievalService,
  ) {}

  /**
   * `after` with its bindings. Names that `before` had keep their meaning; new ones, and those that were not bound, are
   * resolved now. A knowledge base that one of `readers` may not read is as good as none, so that nothing shows that it
   * exists.
   */
  async bind(
    organizationId: string,
    after: Definition,
    before: Definition | null,
    readers: readonly Principal[] = [],
    tx?: Transaction,
  ): Promise<Definition & { readonly collectionIds: CollectionIds }> {
    const known = before?.collectionIds ?? null;
    const old = new Set(before === null || known === null ? [] : collectionNames(storedDefinition(before)));
    const unbound = unboundKeys(known);
    const isUnbound = (name: string): boolean => MEMBERS.some((member) => unbound.has(unboundKey(member, name)));
    const fresh = collectionNames(storedDefinition(after)).filter((name) => !old.has(name) || isUnbound(name));
    const found = new Map(fresh.length === 0 ? [] : await this.names.idsOf(organizationId, fresh, tx));
    for (const reader of found.size === 0 ? [] : readers) {
      const denied = new Set(await this.retrieval.inaccessible(reader, [...found.values()]));
      for (const [name, id] of found) if (denied.has(id)) found.delete(name);
    }
    const added = Object.fromEntries(fresh.map((name) => [name, found.get(name) ?? null]));
    return { ...after, collectionIds: { ...known, ...added } };
  }
}
