import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../../platform/database';
import { KnowledgeBaseRepository } from '../../storage/knowledge-base.repository';
import { isSlug } from '../../storage/slug';

const EXTERNAL = 'external:';

/** A reference to a collection of the external server, whatever knowledge bases are called here. No slug has a colon. */
export const externalReference = (name: string): string => `${EXTERNAL}${name}`;

/** The name in a reference, for people and for the external server. */
export const referenceName = (reference: string): string =>
  reference.startsWith(EXTERNAL) ? reference.slice(EXTERNAL.length) : reference;

/** True when a reference could name a knowledge base by its slug. */
export const isSlugReference = isSlug;

/** Which knowledge bases have which slugs at the moment. */
@Injectable()
export class CollectionNames {
  constructor(private readonly knowledgeBases: KnowledgeBaseRepository) {}

  /** Ids by slug, readable for the asker or not; names that no knowledge base of the organization has are left out. */
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
