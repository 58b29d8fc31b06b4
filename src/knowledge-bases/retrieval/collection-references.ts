import { type Principal, notFound } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import type { Transaction } from '../../infrastructure/database';
import { RowCache, TableChanges } from '../../infrastructure/cache';
import { ExternalCollectionRepository } from '../external-collection.repository';
import type { KnowledgeBaseEntity } from '../storage/knowledge-base.entity';
import { KnowledgeBaseRepository } from '../storage/knowledge-base.repository';
import { isSlug } from '../storage/slug';

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
const isOurId = (ref: string): boolean => /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i.test(ref);

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

export interface Resolved {
  /** Knowledge bases by the reference that names them. */
  readonly own: ReadonlyMap<string, KnowledgeBaseEntity>;
  /** Collections of the external server, whether or not the organization has one. */
  readonly external: readonly string[];
  /** References to knowledge bases that are deleted or not readable. */
  readonly denied: readonly string[];
}

const keyOf = ({ userId }: Principal, refs: readonly string[]): string => JSON.stringify([userId, ...refs]);

interface Named {
  readonly id: string;
  readonly slug: string;
  readonly alias: string | null;
}

/** Row by id or slug; else by the alias of an imported collection, which is no longer asked for at its old server. */
const namedBy = <Row extends Named>(ref: string, rows: readonly Row[]): Row | undefined =>
  isUnbound(ref)
    ? undefined
    : (rows.find(({ id, slug }) => id === ref.toLowerCase() || slug === ref) ??
      rows.find(({ alias }) => alias === referenceName(ref)));

/**
 * Tables that decide what a reference names, who may read it, and what a search finds. `members`: removing one removes
 * that person from groups by a cascade.
 */
const TABLES = [
  'knowledge_bases',
  'kb_documents',
  'knowledge_base_shares',
  'knowledge_base_group_shares',
  'groups',
  'group_members',
  'members',
  'organizations',
  'users',
];
const MOST_KEPT = 5_000;

/** Resolves the entries of `collections`, and caches the result until one of `TABLES` is written. */
@Injectable()
export class CollectionReferences {
  private readonly resolved: RowCache<Resolved>;
  private readonly versions: RowCache<string | null>;

  constructor(
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly listed: ExternalCollectionRepository,
    @Inject(TableChanges) changes: Pick<TableChanges, 'on'>,
  ) {
    const options = { tables: TABLES, max: MOST_KEPT };
    this.resolved = new RowCache(changes, options);
    this.versions = new RowCache(changes, options);
  }

  /** The name of a knowledge base never reaches the external server, whether or not the owner may read it. */
  resolve(owner: Principal, refs: readonly string[]): Promise<Resolved> {
    return this.resolved.get(owner.organizationId, keyOf(owner, refs), () => this.read(owner, refs));
  }

  private async read(owner: Principal, refs: readonly string[]): Promise<Resolved> {
    const scope = this.knowledgeBases.within(owner.organizationId);
    const rows = await scope.named(refs, refs.map(referenceName));
    const readable = await scope.readableOf(
      owner,
      rows.map(({ id }) => id),
    );
    const named = new Map(refs.map((ref) => [ref, namedBy(ref, rows)]));
    const own = new Map<string, KnowledgeBaseEntity>();
    for (const [ref, row] of named) if (row !== undefined && readable.has(row.id)) own.set(ref, row);
    const isExternal = (ref: string): boolean => named.get(ref) === undefined && !isOurId(ref) && !isUnbound(ref);
    return {
      own,
      external: refs.filter(isExternal),
      denied: refs.filter((ref) => !own.has(ref) && !isExternal(ref)),
    };
  }

  /** References to external collections that are missing in the organization's list. */
  async unlisted(owner: Principal, refs: readonly string[]): Promise<string[]> {
    const { external } = await this.resolve(owner, refs);
    if (external.length === 0) return [];
    const missing = new Set(await this.listed.unlisted(owner.organizationId, external.map(referenceName)));
    return external.filter((ref) => missing.has(referenceName(ref)));
  }

  /**
   * Version of everything that decides the answers of these collections. Null with an external one, whose version is unknown.
   * @throws {AppError} `not_found` when the owner may not read one
   */
  contentVersion(owner: Principal, refs: readonly string[]): Promise<string | null> {
    return this.versions.get(owner.organizationId, keyOf(owner, refs), () => this.readVersion(owner, refs));
  }

  private async readVersion(owner: Principal, refs: readonly string[]): Promise<string | null> {
    const states = await this.knowledgeBases.states(owner, refs, refs.map(referenceName));
    const named = refs.map((ref) => namedBy(ref, states));
    if (named.includes(undefined)) return null;
    if (named.some((state) => state?.readable === false)) throw notFound('Knowledge base');
    return named.map((state) => `${state?.id} ${state?.settings} ${state?.documents}`).join(' ');
  }
}
