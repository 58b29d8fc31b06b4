import { Injectable } from '@nestjs/common';
import { type CollectionIds, collectionNames, type Definition, storedDefinition } from '../../definition';
import { CollectionNames } from '../../knowledge-bases';
import type { Transaction } from '../../platform/database';

/**
 * Resolves a definition's collection names once, when they are first saved. Otherwise an editor could name a knowledge
 * base that the owner makes later, and read it with the owner's rights.
 */
@Injectable()
export class CollectionBindings {
  constructor(private readonly names: CollectionNames) {}

  /** `after` with its bindings. Names that `before` had keep their meaning; new names are resolved now. */
  async bind(
    organizationId: string,
    after: Definition,
    before: Definition | null,
    tx?: Transaction,
  ): Promise<Definition & { readonly collectionIds: CollectionIds }> {
    const known = before?.collectionIds ?? null;
    const old = new Set(before === null || known === null ? [] : collectionNames(storedDefinition(before)));
    const fresh = collectionNames(storedDefinition(after)).filter((name) => !old.has(name));
    const found = fresh.length === 0 ? new Map<string, string>() : await this.names.idsOf(organizationId, fresh, tx);
    const added = Object.fromEntries(fresh.map((name) => [name, found.get(name) ?? null]));
    return { ...after, collectionIds: { ...known, ...added } };
  }
}
