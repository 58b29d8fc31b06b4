import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../../platform/database';
import { KnowledgeBaseRepository } from '../../storage/knowledge-base.repository';
import { isSlug } from '../../storage/slug';

const EXTERNAL = 'external:';

/** An explicit reference to a collection of the external server. No slug has a colon. */
export const externalReference = (name: string): string => `${EXTERNAL}${name}`;

/** The name without the prefix, for people and for the external server. */
export const referenceName = (reference: string): string =>
  reference.startsWith(EXTERNAL) ? reference.slice(EXTERNAL.length) : reference;

export const isSlugReference = isSlug;

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
