import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../../infrastructure/database';
import { KnowledgeBaseRepository } from '../../storage/knowledge-base.repository';
import { isSlug } from '../../storage/slug';

const EXTERNAL = 'external:';
const UNBOUND = 'unbound:';

/** An explicit reference to a collection of the external server. No slug has a colon. */
export const externalReference = (name: string): string => `${EXTERNAL}${name}`;

/** A reference of any kind that names nothing, whatever gets its name later. No id and no slug has a colon. */
export const unboundReference = (value: string | number): string => `${UNBOUND}${value}`;

export const isUnbound = (reference: unknown): boolean =>
  typeof reference === 'string' && reference.startsWith(UNBOUND);

/** The name without the prefix, for people and for the external server. */
export const referenceName = (reference: string): string => {
  const prefix = [EXTERNAL, UNBOUND].find((each) => reference.startsWith(each)) ?? '';
  return reference.slice(prefix.length);
};

export const isSlugReference = isSlug;

/** UUIDv7 (RFC 9562 §5.7). Without a row it is the id of a deleted knowledge base. */
export const isOurId = (ref: string): boolean =>
  /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i.test(ref);

/** A reference in a message. Saving binds names to ids, which say nothing to the author. */
export const referenceInWords = (reference: string): string =>
  isOurId(reference) ? 'a chosen knowledge base' : `knowledge base ${referenceName(reference)}`;

@Injectable()
export class CollectionNames {
  constructor(private readonly knowledgeBases: KnowledgeBaseRepository) {}

  /** Ids of the organization's knowledge bases by slug, without an access check. Unknown names are left out. */
  async idsOf(
    organizationId: string,
    names: readonly string[],
    tx?: Transaction,
  ): Promise<ReadonlyMap<string, string>> {
    const slugs = names.filter(isSlug);
    const rows = await this.knowledgeBases.within(organizationId, tx).named(slugs);
    return new Map(rows.map(({ slug, id }) => [slug, id]));
  }
}
