import { AppError, visibleText, atMostFor } from '@bellwether/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { EmbeddingsService } from '../../connectors';
import type { TextLanguage } from '../../infrastructure/languages';
import { embedTexts } from '../embedding/chunk-embedder';
import { textHash } from '../embedding/embedding-cache.repository';
import { hybridWeightOf, isForeignTo } from '../embedding/embedding-settings';
import type { Hit } from '../search/chunk.types';
import { type FusionScope, fuseHits } from '../search/hybrid-fusion';
import { type KeywordParameters, searchStatement } from '../search/hybrid-query';
import { type FoundHit, PassageRepository, type SectionChunk, type SectionKey } from '../search/passage.repository';
import { ResidentIndexes } from '../search/resident-indexes';
import { quotedPhrases } from '../search/searchable-text';
import type { VectorScope } from '../search/vector-query';
import { VectorStore } from '../search/vector-store';
import type { KnowledgeBaseEntity } from '../storage/knowledge-base.entity';
import type { Embedding, RetrievalMode } from '../storage/knowledge-base.types';
import { NOT_TRANSLATED, QuestionLanguages, type Translations } from './question-languages';
import { isPlainlyIn } from './question/plain-language';
import { type Correction, SpellingCorrector, corrected, provenBy, spelt } from './question/spelling-corrector';
import { type Question, foreignLanguages, materialLanguages, worded } from './question/wordings';
import type { PassageQuery } from './retrieval.types';

const MAX_ENTRIES = 500;
const TTL_MS = 60 * 60_000;

/** Embeds questions. The cache serves several knowledge bases that get the same question. */
@Injectable()
export class QueryEmbedder {
  private readonly cache = new LRUCache<string, readonly number[]>(atMostFor(MAX_ENTRIES, TTL_MS));

  constructor(private readonly embeddings: EmbeddingsService) {}

  /** The vector of a question for an index that was built with `embedding`. Rejects like `embedTexts`. */
  async embed(
    organizationId: string,
    embedding: Embedding,
    text: string,
    signal: AbortSignal,
  ): Promise<readonly number[]> {
    const { provider, model, dimensions } = embedding;
    const identity = await this.embeddings.identity(organizationId, { provider, model, purpose: 'query' });
    const key = textHash(JSON.stringify([organizationId, provider, model, dimensions, identity]), text);
    const known = this.cache.get(key);
    if (known !== undefined) return known;
    const job = { purpose: 'query', texts: [text], signal } as const;
    const [vector = []] = await embedTexts(this.embeddings, organizationId, embedding, job);
    this.cache.set(key, vector);
    return vector;
  }
}

/** Properties of a knowledge base that decide which modes can run. */
export interface SearchableBase {
  readonly name: string;
  readonly embedding: { readonly provider: string; readonly model: string } | null;
  /** Whether it has a complete vector index. */
  readonly isIndexed: boolean;
  /** Weight of the vector similarity in hybrid mode, 0..1. */
  readonly hybridWeight: number;
}

interface ModeChoice {
  readonly mode: RetrievalMode;
  /** Why another mode than the wanted one runs. */
  readonly warning: string | null;
}

/** Default mode. */
const settled = ({ embedding, hybridWeight }: SearchableBase): RetrievalMode =>
  embedding !== null && hybridWeight > 0 ? 'hybrid' : 'keyword';

/** `lack`: why this database cannot store vectors; null when it can. */
export function chooseMode(base: SearchableBase, wish: RetrievalMode | undefined, lack: string | null): ModeChoice {
  const wanted = wish ?? settled(base);
  const obstacle = wanted === 'keyword' ? null : obstacleTo(wanted, base, lack);
  return obstacle === null ? { mode: wanted, warning: null } : keywordInstead(base, wanted, obstacle);
}

const keywordInstead = ({ name }: Pick<SearchableBase, 'name'>, wanted: RetrievalMode, why: string): ModeChoice => ({
  mode: 'keyword',
  warning: `Knowledge base ${name}: keyword mode ran instead of ${wanted}, ${why}`,
});

function obstacleTo(wanted: RetrievalMode, base: SearchableBase, lack: string | null): string | null {
  if (base.embedding === null) return 'it has no embedding model';
  if (lack !== null) return lack;
  if (!base.isIndexed) return 'its vectors are still being made';
  if (wanted === 'hybrid' && base.hybridWeight <= 0) return 'its hybrid weight is 0';
  return null;
}

/** @throws {AppError} `embedding_model_mismatch` when a knowledge base has another model than `wanted` */
export function assertModel(bases: readonly SearchableBase[], wanted: string | undefined): void {
  if (wanted === undefined) return;
  for (const { name, embedding } of bases) {
    if (embedding !== null && [embedding.model, `${embedding.provider}/${embedding.model}`].includes(wanted)) continue;
    const own = embedding === null ? 'has no embedding model' : `is embedded with ${embedding.model}`;
    throw new AppError(
      'embedding_model_mismatch',
      `The query names the model ${wanted}, but knowledge base ${name} ${own}`,
    );
  }
}

/** Longer questions are cut: the beginning usually names the topic. */
const QUERY_CHARS = 8_000;
const CUT = `the question is longer than ${QUERY_CHARS} characters: only its beginning was searched for`;
/** Passages that a corrected word must occur in. */
const SPELLING_PASSAGES = 10;
/** Time limit of the embedding provider. After it, keyword search answers. */
const EMBED_TIMEOUT_MS = 8_000;

/** A search for a question with corrections. */
interface Tried {
  readonly better: SearchPlan;
  readonly found: readonly Hit[];
  /** Texts of the best passages, with their headings. */
  readonly texts: readonly string[];
}

/** A question with the mode and the vector for each knowledge base. */
export interface SearchPlan {
  readonly organizationId: string;
  readonly question: Question;
  /** Quoted phrases. Passages must have them word for word, unless no passage does. */
  readonly phrases: readonly string[];
  readonly bases: readonly KnowledgeBaseEntity[];
  /** Modes by knowledge base. */
  readonly modes: ReadonlyMap<string, RetrievalMode>;
  /** The embedded question for each knowledge base that needs it. */
  readonly vectors: readonly VectorScope[];
  /** The question with its typing errors corrected; null without corrections. */
  readonly searchedFor: string | null;
  readonly warnings: readonly string[];
}

/** A plan and its first hits. */
export interface Searched {
  readonly plan: SearchPlan;
  readonly hits: readonly Hit[];
}

interface Planned {
  readonly base: KnowledgeBaseEntity;
  readonly choice: ModeChoice;
  readonly vector: VectorScope | null;
}

interface Spoken {
  readonly organizationId: string;
  readonly planned: readonly Planned[];
  readonly text: string;
  readonly language: TextLanguage | null;
  readonly signal: AbortSignal | undefined;
}

/** Searches knowledge bases of this service. The caller has checked the access. */
@Injectable()
export class OwnSearch {
  private readonly logger = new Logger(OwnSearch.name);

  constructor(
    private readonly passages: PassageRepository,
    private readonly resident: ResidentIndexes,
    private readonly embedder: QueryEmbedder,
    private readonly vectors: VectorStore,
    private readonly spelling: SpellingCorrector,
    private readonly languages: QuestionLanguages,
  ) {}

  /**
   * Decides the mode of each knowledge base. The question is embedded once per model, all models at once.
   * @throws AppError `embedding_model_mismatch`
   */
  async plan(organizationId: string, bases: readonly KnowledgeBaseEntity[], query: PassageQuery): Promise<SearchPlan> {
    query.signal?.throwIfAborted();
    const text = visibleText(query.text.slice(0, QUERY_CHARS).toWellFormed());
    const told = this.languageOf(text, bases);
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
        if (query.mode === undefined && (await isForeignTo(base, told))) {
          return { base, choice: { mode: 'keyword', warning: null }, vector: null };
        }
        const vector = await vectorOf(base.vectorEmbedding);
        if (typeof vector === 'string') {
          return { base, choice: keywordInstead(base, choice.mode, vector), vector: null };
        }
        return { base, choice, vector: { knowledgeBaseId: base.id, index: base.vectorIndex, vector } };
      }),
    );
    const language = isBlank(text) ? null : await told;
    const translated = await this.translated({ organizationId, planned, text, language, signal: query.signal });
    return {
      organizationId,
      question: { text, language, translations: translated.texts },
      phrases: quotedPhrases(text),
      bases,
      modes: new Map(planned.map(({ base, choice }) => [base.id, choice.mode])),
      vectors: planned.flatMap(({ vector }) => vector ?? []),
      searchedFor: null,
      warnings: [
        ...(query.text.length > QUERY_CHARS ? [CUT] : []),
        ...planned.flatMap(({ choice }) => choice.warning ?? []),
        ...translated.warnings,
      ],
    };
  }

  /** The only language of the material, where the question is plainly in it: no thread needs to be asked then. */
  private languageOf(text: string, bases: readonly KnowledgeBaseEntity[]): Promise<TextLanguage | null> {
    const [only, ...others] = materialLanguages(bases);
    if (only !== undefined && others.length === 0 && isPlainlyIn(only, text)) {
      return Promise.resolve({ language: only, scores: { [only]: 1 } });
    }
    return this.languages.detect(text);
  }

  /** Translates the question for the knowledge bases that are searched by words. */
  private async translated({ organizationId, planned, text, language, signal = NEVER }: Spoken): Promise<Translations> {
    if (language === null) return NOT_TRANSLATED;
    const bases = planned.flatMap(({ base, choice }) => (choice.mode === 'vector' ? [] : [base]));
    const into = foreignLanguages(bases, language);
    return this.languages.translate(organizationId, { text, language, into, signal });
  }

  /**
   * The language of a few words is often told wrong: they are in the language of the material when it has all of them, as they
   * are or corrected. The returned plan has no language then, so nobody is told that the material is foreign.
   */
  async searchCorrected(plan: SearchPlan, depth: number): Promise<Searched> {
    const { question, bases } = plan;
    if (isShort(question.text) && foreignLanguages(bases, question.language).length > 0) {
      const own = await this.searchWith({ ...plan, question: { ...question, language: null } }, depth);
      if (own.hits.find(({ strength }) => strength !== null)?.unknown === null) return own;
    }
    return this.searchWith(plan, depth);
  }

  /**
   * Searches. If no passage has a word of the question, but the vocabulary has a similar one, searches again for the corrected
   * question. The returned plan has the corrected question.
   */
  private async searchWith(plan: SearchPlan, depth: number): Promise<Searched> {
    const hits = await this.search(plan, depth);
    const corrections = await this.corrections(plan, hits);
    if (corrections.length === 0) return { plan, hits };
    const tried = await this.searchFor(plan, corrections, depth);
    // A stem may stand for a word that is not similar: "oracle" leads to "oral" through the candidate "orale".
    const proven = provenBy(corrections, tried.texts);
    if (proven.length === 0) return { plan, hits };
    const { better, found, texts } =
      proven.length === corrections.length ? tried : await this.searchFor(plan, proven, depth);
    return { plan: { ...better, searchedFor: corrected(plan.question.text, spelt(proven, texts)) }, hits: found };
  }

  private async searchFor(plan: SearchPlan, corrections: readonly Correction[], depth: number): Promise<Tried> {
    const { question } = plan;
    const better = { ...plan, question: { ...question, text: corrected(question.text, corrections) } };
    const found = await this.search(better, Math.max(depth, SPELLING_PASSAGES));
    // The search covers headings, too.
    const texts = found.slice(0, SPELLING_PASSAGES).map(({ section, text }) => `${section}\n${text}`);
    return { better, found, texts };
  }

  private async corrections(plan: SearchPlan, hits: readonly Hit[]): Promise<readonly Correction[]> {
    const { organizationId, question } = plan;
    const words = wordedBases(plan);
    if (words.length === 0 || isBlank(question.text)) return [];
    const { wordings, scopes } = worded(words, question);
    const [first] = wordings;
    // In a question in another language, unknown words are not typing errors.
    if (first === undefined || first.spoken !== first.configuration || first.isTranslation === true) return [];
    const found = hits.find(({ strength }) => strength !== null);
    if (found?.unknown === null) return [];
    const knowledgeBaseIds = scopes.flatMap(({ id, number }) => (number === 1 ? [id] : []));
    const version = await this.resident.versionOf(organizationId, knowledgeBaseIds);
    const vocabulary = { organizationId, knowledgeBaseIds, configuration: first.configuration, version };
    return this.spelling.correct(vocabulary, question.text, found?.unknown ?? null);
  }

  /**
   * Up to `depth` hits of each knowledge base, all together best first. The language of a few words is often told wrong: a
   * question that finds nothing in its language is searched for in those of the passages.
   */
  async search(plan: SearchPlan, depth: number): Promise<Hit[]> {
    if (plan.bases.length === 0 || isBlank(plan.question.text)) return [];
    const hits = await this.searchOnce(plan, depth);
    const { question, bases } = plan;
    if (hits.length > 0 || foreignLanguages(bases, question.language).length === 0) return hits;
    return this.searchOnce({ ...plan, question: { ...question, language: null } }, depth);
  }

  private async searchOnce(plan: SearchPlan, depth: number): Promise<Hit[]> {
    const keyword = keywordParameters(plan, depth);
    const resident = keyword === null ? null : await this.resident.search(keyword);
    const rows = await this.searchTables(plan, resident === null ? keyword : null, depth);
    return fuseHits({
      keyword: comparable(resident ?? rows.filter(({ by }) => by === 'keyword')),
      vector: rows.filter(({ by }) => by === 'vector'),
      scopes: new Map(plan.bases.map((base) => [base.id, fusionScope(base, modeOf(plan, base))])),
      depth,
    });
  }

  private async searchTables(plan: SearchPlan, keyword: KeywordParameters | null, depth: number): Promise<FoundHit[]> {
    const { organizationId, vectors: scopes } = plan;
    if (keyword === null && scopes.length === 0) return [];
    const graphs = this.vectors.graphsOf(scopes);
    const vector = scopes.length === 0 ? null : { graphs, organizationId, scopes, topK: depth, threshold: 0 };
    return this.passages.search(searchStatement(keyword, vector));
  }

  /** Why a mode cannot run on a knowledge base now; null when it can. Calls no provider. */
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

  /** The vector of the question, or why there is none. Rejects only when the signal aborts. */
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

/** The database and the index in memory add in different orders, so the last of 16 digits may differ. */
const STEPS = 1e12;
const rounded = (value: number): number => Math.round(value * STEPS) / STEPS;

const comparable = (hits: readonly Hit[]): Hit[] =>
  hits
    .map((hit) => ({
      ...hit,
      similarity: rounded(hit.similarity),
      strength: hit.strength === null ? null : rounded(hit.strength),
    }))
    .sort((a, b) => b.similarity - a.similarity || Number(a.chunk_id) - Number(b.chunk_id));

/** The question may be an image without text. */
const isBlank = (text: string): boolean => text.trim() === '';

/** The language of fewer words is a guess. */
const SURE_WORDS = 5;
const isShort = (text: string): boolean => (text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) < SURE_WORDS;

const NEVER = new AbortController().signal;

/** Describes the index in use, not the one that is being built; without an index in use, the chosen embedding. */
const searchableBase = (row: KnowledgeBaseEntity): SearchableBase => ({
  name: row.name,
  embedding: row.vectorEmbedding ?? row.embedding,
  isIndexed: row.vectorIndex !== null && row.vectorEmbedding !== null,
  hybridWeight: hybridWeightOf(row),
});

const modelKey = ({ provider, model, dimensions }: Embedding): string => `${provider} ${model} ${dimensions}`;

const modeOf = ({ modes }: SearchPlan, { id }: KnowledgeBaseEntity): RetrievalMode => modes.get(id) ?? 'keyword';

const wordedBases = (plan: SearchPlan): KnowledgeBaseEntity[] =>
  plan.bases.filter((base) => modeOf(plan, base) !== 'vector');

/** One query for all knowledge bases with keyword search, so that their document frequencies are counted together. */
function keywordParameters(plan: SearchPlan, depth: number): KeywordParameters | null {
  const bases = wordedBases(plan);
  if (bases.length === 0) return null;
  const { wordings, scopes } = worded(bases, plan.question);
  return [
    scopes.map(({ id }) => id),
    scopes.map(({ number }) => number),
    plan.organizationId,
    wordings.map(({ configuration }) => configuration),
    depth,
    0,
    wordings.map(({ text }) => text),
    wordings.map(({ spoken }) => spoken),
  ];
}

function fusionScope(row: KnowledgeBaseEntity, mode: RetrievalMode): FusionScope {
  if (mode === 'keyword' || row.vectorEmbedding === null) return { weight: 0, model: null };
  const { hybridWeight } = searchableBase(row);
  return { weight: mode === 'vector' ? 1 : hybridWeight, model: modelKey(row.vectorEmbedding) };
}
