import { Inject, Injectable } from '@nestjs/common';
import { AppError, type Principal } from '../../kernel';
import { OrganizationsService } from '../../organizations';
import { CONFIG, type Config } from '../../platform/config';
import { ExternalCollections } from './external-collections';
import type { KnowledgeBaseEntity } from '../knowledge-base.entity';
import { KnowledgeBaseRepository } from '../knowledge-base.repository';
import type { CollectionPassages, Passage, Retrieval, RetrievalQuery } from '../knowledge-base.types';
import { searchableText, searchConfiguration } from '../search/language';
import { SearchIndex } from '../search/search-index';
import type { Hit } from '../search/chunk.types';

/** A question longer than this is an essay: its beginning says what it is about. */
const QUERY_CHARS = 8_000;

interface Resolved {
  /** Reference as written → the knowledge base it names. */
  readonly own: ReadonlyMap<string, KnowledgeBaseEntity>;
  /** For the external server, which the organization may or may not have. */
  readonly external: readonly string[];
  /** Name a knowledge base that the owner may not read. */
  readonly denied: readonly string[];
}

/** Finds passages with somebody's reading rights, in our knowledge bases and on the organization's external server alike. */
@Injectable()
export class RetrievalService {
  constructor(
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly index: SearchIndex,
    private readonly organizations: OrganizationsService,
    private readonly external: ExternalCollections,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Best passages of the collections that `owner` may read. An external collection that fails is reported in `warnings` and
   * skipped. Throws `not_found` when a reference may not be read, `upstream_error` when every collection failed.
   */
  async retrieve(owner: Principal, query: RetrievalQuery): Promise<Retrieval> {
    const refs = [...new Set(query.collections)];
    const { own, external, denied } = await this.resolve(owner, refs);
    const server =
      external.length === 0 ? null : (await this.organizations.runtime(owner.organizationId)).knowledgeBase;
    const missing = server === null ? [...denied, ...external] : denied;
    if (missing.length > 0) throw new AppError('not_found', `Knowledge base not found: ${missing.join(', ')}`);
    const [found, answered] = await Promise.all([
      this.searchOwn(owner.organizationId, own, query),
      server === null ? [] : this.external.query(server, external, query),
    ]);
    return merged(refs, [...found, ...answered], query.topK);
  }

  /** Passages of one knowledge base, which the caller has been allowed to read. */
  async search(knowledgeBase: KnowledgeBaseEntity, query: Omit<RetrievalQuery, 'collections'>): Promise<Passage[]> {
    const own = new Map([[knowledgeBase.id, knowledgeBase]]);
    const [found] = await this.searchOwn(knowledgeBase.organizationId, own, {
      ...query,
      collections: [knowledgeBase.id],
    });
    return [...(found?.passages ?? [])];
  }

  /** Those of the references that `owner` cannot read now. */
  async inaccessible(owner: Principal, refs: readonly string[]): Promise<string[]> {
    const { external, denied } = await this.resolve(owner, refs);
    if (external.length === 0) return [...denied];
    const { knowledgeBase } = await this.organizations.runtime(owner.organizationId);
    return knowledgeBase === null ? refs.filter((ref) => denied.includes(ref) || external.includes(ref)) : [...denied];
  }

  /** A reference that names a knowledge base of the organization is never passed on to the external server, readable or not. */
  private async resolve(owner: Principal, refs: readonly string[]): Promise<Resolved> {
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

  private async searchOwn(
    organizationId: string,
    own: ReadonlyMap<string, KnowledgeBaseEntity>,
    { text, topK, threshold, signal }: RetrievalQuery,
  ): Promise<CollectionPassages[]> {
    signal?.throwIfAborted();
    if (own.size === 0) return [];
    const rows = [...new Map([...own.values()].map((row) => [row.id, row])).values()];
    const hits = await this.index.search({
      organizationId,
      scopes: rows.map(({ id, language }) => ({ knowledgeBaseId: id, configuration: searchConfiguration(language) })),
      text: searchableText(text.slice(0, QUERY_CHARS)),
      topK,
      threshold,
    });
    return [...own].map(([collection, { id }]) => ({
      collection,
      passages: hits.filter((hit) => hit.knowledge_base_id === id).map((hit) => this.passageOf(hit)),
    }));
  }

  private passageOf(hit: Hit): Passage {
    const base = this.config.http.publicUrl?.replace(/\/+$/, '') ?? '';
    const url = `${base}/api/v1/knowledge-bases/${hit.knowledge_base_id}/documents/${hit.document_id}/content`;
    const page = hit.page === null ? {} : { page: hit.page };
    return {
      text: hit.text,
      similarity: hit.similarity,
      source: {
        type: 'knowledge_base',
        title: hit.title ?? (hit.filename === '' ? 'Unknown' : hit.filename),
        url,
        similarity: hit.similarity,
        document: hit.filename,
        ...page,
      },
      metadata: {
        knowledge_base_id: hit.knowledge_base_id,
        document_id: hit.document_id,
        filename: hit.filename,
        title: hit.title,
        section: hit.section,
        ...page,
        chunk_index: hit.ordinal,
        chunk_count: hit.chunk_count,
        start: hit.start_offset,
        end: hit.end_offset,
        file_url: url,
      },
    };
  }
}

/** In the order that the collections were asked for; two references to one knowledge base give its passages once to the whole. */
function merged(refs: readonly string[], results: readonly CollectionPassages[], topK: number): Retrieval {
  const byCollection = refs.flatMap((ref) => results.find(({ collection }) => collection === ref) ?? []);
  const failed = byCollection.filter(({ error }) => error !== undefined);
  if (failed.length > 0 && failed.length === byCollection.length) {
    throw new AppError('upstream_error', `No collection answered: ${failed.map(describe).join('; ')}`);
  }
  const unique = new Map<unknown, Passage>();
  for (const passage of byCollection.flatMap(({ passages }) => passages)) {
    const { document_id: document, start } = passage.metadata;
    unique.set(typeof document === 'string' && typeof start === 'number' ? `${document}:${start}` : passage, passage);
  }
  return {
    byCollection,
    passages: [...unique.values()].sort((a, b) => b.similarity - a.similarity).slice(0, topK),
    warnings: failed.map(describe),
  };
}

const describe = ({ collection, error }: CollectionPassages): string =>
  `Collection ${collection}: ${error ?? 'no answer'}`;
