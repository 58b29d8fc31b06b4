import { Injectable, Logger } from '@nestjs/common';
import { AppError } from '../../../kernel';
import { defaultHybridWeight } from '../../embedding/embedding-settings';
import { QueryEmbedder } from '../../embedding/query-embedder';
import type { KnowledgeBaseEntity } from '../../storage/knowledge-base.entity';
import type { Embedding, RetrievalMode } from '../../storage/knowledge-base.types';
import type { Hit } from '../../search/chunk.types';
import { fuseHits, type FusionScope } from '../../search/hybrid-fusion';
import { type KeywordParameters, searchStatement } from '../../search/hybrid-query';
import { searchableText, searchConfiguration } from '../../search/language';
import { PassageRepository, type SectionChunk, type SectionKey } from '../../search/passage.repository';
import { VectorStore } from '../../search/vector-store';
import type { VectorScope } from '../../search/vector-store.repository';
import { assertModel, chooseMode, keywordInstead, type ModeChoice, type SearchableBase } from './mode-choice';
import type { PassageQuery } from '../passages/retrieval.types';

/** A question longer than this is an essay: its beginning says what it is about. */
const QUERY_CHARS = 8_000;
/** Words answer when the provider takes longer: somebody waits. */
const EMBED_TIMEOUT_MS = 8_000;

/** How a question is put to knowledge bases, however many hits are wanted. */
export interface SearchPlan {
  readonly organizationId: string;
  readonly text: string;
  readonly bases: readonly KnowledgeBaseEntity[];
  /** By knowledge base. */
  readonly modes: ReadonlyMap<string, RetrievalMode>;
  /** The question in the model of each knowledge base that is not searched by words alone. */
  readonly vectors: readonly VectorScope[];
  readonly warnings: readonly string[];
}

interface Planned {
  readonly base: KnowledgeBaseEntity;
  readonly choice: ModeChoice;
  readonly vector: VectorScope | null;
}

/** Searches our own knowledge bases, which the caller has been allowed to read. */
@Injectable()
export class OwnSearch {
  private readonly logger = new Logger(OwnSearch.name);

  constructor(
    private readonly passages: PassageRepository,
    private readonly embedder: QueryEmbedder,
    private readonly vectors: VectorStore,
  ) {}

  /**
   * Decides the mode of each knowledge base. The question is embedded once per model, all models at once.
   * @throws AppError `embedding_model_mismatch`
   */
  async plan(organizationId: string, bases: readonly KnowledgeBaseEntity[], query: PassageQuery): Promise<SearchPlan> {
    query.signal?.throwIfAborted();
    const text = query.text.slice(0, QUERY_CHARS).toWellFormed();
    const searchable = bases.map(searchableBase);
    assertModel(searchable, query.embeddingModel);
    const embedded = new Map<string, Promise<readonly number[] | string>>();
    const vectorOf = (embedding: Embedding): Promise<readonly number[] | string> => {
      const key = modelKey(embedding);
      const known = embedded.get(key) ?? this.embed(organizationId, embedding, text, query.signal);
      embedded.set(key, known);
      return known;
    };
    const planned = await Promise.all(
      bases.map(async (base): Promise<Planned> => {
        const choice = chooseMode(searchableBase(base), query.mode, this.vectors.unavailable);
        if (isBlank(text) || choice.mode === 'keyword' || base.vectorEmbedding === null || base.vectorIndex === null) {
          return { base, choice, vector: null };
        }
        const vector = await vectorOf(base.vectorEmbedding);
        if (typeof vector === 'string') {
          return { base, choice: keywordInstead(base, choice.mode, vector), vector: null };
        }
        return { base, choice, vector: { knowledgeBaseId: base.id, index: base.vectorIndex, vector } };
      }),
    );
    return planOf({ organizationId, text, bases }, planned);
  }

  /** Up to `depth` hits of each knowledge base, best first over all of them. One round trip. */
  async search(plan: SearchPlan, depth: number): Promise<Hit[]> {
    if (plan.bases.length === 0 || isBlank(plan.text)) return [];
    const graphs = this.vectors.graphsOf({ scopes: plan.vectors });
    const statement = searchStatement(
      keywordParameters(plan, depth),
      plan.vectors.length === 0
        ? null
        : { graphs, organizationId: plan.organizationId, scopes: plan.vectors, topK: depth, threshold: 0 },
    );
    const rows = await this.passages.search(statement);
    return fuseHits({
      keyword: rows.filter(({ by }) => by === 'keyword'),
      vector: rows.filter(({ by }) => by === 'vector'),
      scopes: new Map(plan.bases.map((base) => [base.id, fusionScope(base, modeOf(plan, base))])),
      depth,
    });
  }

  /** Why a mode cannot run on a knowledge base now; null when it can. No provider is asked. */
  obstacle(base: KnowledgeBaseEntity, mode: RetrievalMode): string | null {
    return chooseMode(searchableBase(base), mode, this.vectors.unavailable).warning;
  }

  /** Chunks of each section, in the order of `keys`. One round trip. */
  async sections(organizationId: string, keys: readonly SectionKey[]): Promise<SectionChunk[][]> {
    const chunks = await this.passages.sections(organizationId, keys);
    const sections = keys.map((): SectionChunk[] => []);
    for (const chunk of chunks) sections[chunk.place]?.push(chunk);
    return sections;
  }

  /** The question's vector, or why there is none. Rejects only when the signal fires. */
  private async embed(
    organizationId: string,
    embedding: Embedding,
    text: string,
    signal: AbortSignal = NEVER,
  ): Promise<readonly number[] | string> {
    const deadline = AbortSignal.timeout(EMBED_TIMEOUT_MS);
    try {
      return await this.embedder.embed(organizationId, embedding, text, AbortSignal.any([signal, deadline]));
    } catch (error) {
      signal.throwIfAborted();
      if (deadline.aborted) return `the provider of ${embedding.model} took too long`;
      if (error instanceof AppError) return `the question could not be embedded (${error.detail})`;
      this.logger.warn({ msg: 'a question could not be embedded', organization_id: organizationId, err: error });
      return 'the question could not be embedded';
    }
  }
}

/** A question that is a picture only: there is nothing to look for. */
const isBlank = (text: string): boolean => text.trim() === '';

const NEVER = new AbortController().signal;

/** The vectors that answer count, not those that are being made; without any, what they will be made with. */
const searchableBase = (row: KnowledgeBaseEntity): SearchableBase => ({
  name: row.name,
  embedding: row.vectorEmbedding ?? row.embedding,
  isIndexed: row.vectorIndex !== null && row.vectorEmbedding !== null,
  hybridWeight: row.hybridWeight ?? defaultHybridWeight(row.vectorEmbedding ?? row.embedding),
});

const modelKey = ({ provider, model, dimensions }: Embedding): string => `${provider} ${model} ${dimensions}`;

const modeOf = ({ modes }: SearchPlan, { id }: KnowledgeBaseEntity): RetrievalMode => modes.get(id) ?? 'keyword';

function planOf(
  question: Pick<SearchPlan, 'organizationId' | 'text' | 'bases'>,
  planned: readonly Planned[],
): SearchPlan {
  return {
    ...question,
    modes: new Map(planned.map(({ base, choice }) => [base.id, choice.mode])),
    vectors: planned.flatMap(({ vector }) => vector ?? []),
    warnings: planned.flatMap(({ choice }) => choice.warning ?? []),
  };
}

/** Document frequencies are counted over every knowledge base that reads words, so that their passages compare. */
function keywordParameters(plan: SearchPlan, depth: number): KeywordParameters | null {
  const worded = plan.bases.filter((base) => modeOf(plan, base) !== 'vector');
  if (worded.length === 0) return null;
  return [
    worded.map(({ id }) => id),
    worded.map(({ language }) => searchConfiguration(language)),
    plan.organizationId,
    searchableText(plan.text),
    depth,
    0,
  ];
}

function fusionScope(row: KnowledgeBaseEntity, mode: RetrievalMode): FusionScope {
  if (mode === 'keyword' || row.vectorEmbedding === null) return { weight: 0, model: null };
  const { hybridWeight } = searchableBase(row);
  return { weight: mode === 'vector' ? 1 : hybridWeight, model: modelKey(row.vectorEmbedding) };
}
