import {
  AppError,
  type LanguageGap,
  type Match,
  type Principal,
  type SearchFacts,
  type Source,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { isMultilingualEmbedding } from '../../connectors';
import type { KnowledgeBaseRuntime } from '../../organizations';
import { SourceLinks } from '../documents/source-links';
import type { Hit } from '../search/chunk.types';
import { hasPhrases } from '../search/searchable-text';
import type { KnowledgeBaseEntity } from '../storage/knowledge-base.entity';
import { KnowledgeBasePermissions } from '../storage/knowledge-base.permissions';
import type { RetrievalMode } from '../storage/knowledge-base.types';
import { CollectionReferences, type Resolved, referenceInWords, referenceName } from './collection-references';
import { type ExternalAnswer, ExternalSearch, failureOfAll } from './external-search';
import { OwnSearch, type SearchPlan } from './own-search';
import { type Candidate, externalCandidate, isOwn, ownCandidate, withColumnNames } from './candidate';
import { ownPassage } from './own-passage';
import type { CollectionAnswer, Passage, PassageQuery, Retrieval, RetrievalQuery } from './retrieval.types';
import { type Selection, selectPassages, withinBudget } from './select-passages';
import { type Question, foreignLanguages, languagesOf, materialLanguages } from './question/wordings';
import { Rerankers, type Reranking, rerankDepth } from './reranking';

/** Below it, the best passage usually has one word of several by chance. */
const WEAK = 0.5;
/** Share of the rarest words that gives the strength `WEAK`: less than one word of three. */
const SHARE_AT_WEAK = 0.2;

/**
 * Strength of the best passage: the share of the question's six rarest words that the passage has, weighted by rarity and
 * saturated as in BM25. It is scaled so that `SHARE_AT_WEAK` gives 0.5. Null without a keyword search.
 */
export function matchOf(hits: readonly Pick<Hit, 'strength'>[]): Match | null {
  const shares = hits.flatMap(({ strength }) => strength ?? []);
  if (shares.length === 0) return null;
  const strength = 1 - WEAK ** (Math.max(...shares) / SHARE_AT_WEAK);
  return { strength: Math.round(strength * 1000) / 1000, weak: strength < WEAK };
}

const NO_MATCH: Match = { strength: 0, weak: true };

/** Nothing is known about the question. */
export const AS_ASKED: SearchFacts = { match: null, searchedFor: null, languages: null };

/** The question of a search, with the knowledge bases and corrections. */
interface Asked {
  readonly question: Question;
  readonly bases: readonly SearchedBase[];
  readonly vectors: readonly { readonly knowledgeBaseId: string }[];
  readonly searchedFor: string | null;
}

function searchedQuestion(
  { question, bases, vectors, searchedFor }: Asked,
  hits: readonly Hit[],
  isExternal: boolean,
): SearchFacts {
  const isAsked = bases.length > 0 && question.text.trim() !== '';
  return {
    match: isExternal || vectors.length > 0 || !isAsked ? null : (matchOf(hits) ?? NO_MATCH),
    searchedFor,
    languages: languageGap({ question, bases, vectors }),
  };
}

type SearchedBase = Pick<KnowledgeBaseEntity, 'id' | 'language' | 'languages' | 'indexVersion' | 'vectorEmbedding'>;

/** Null when some passages are in the language of the question. */
function languageGap({ question, bases, vectors }: Omit<Asked, 'searchedFor'>): LanguageGap | null {
  const { language, translations } = question;
  if (language === null) return null;
  const all = new Set(bases.flatMap((base) => languagesOf(base, language)));
  const material = foreignLanguages(bases, language);
  if (material.length === 0 || material.length < all.size) return null;
  const embedded = new Set(vectors.map(({ knowledgeBaseId }) => knowledgeBaseId));
  const isEmbedded = ({ id, vectorEmbedding }: SearchedBase): boolean =>
    embedded.has(id) && vectorEmbedding !== null && isMultilingualEmbedding(vectorEmbedding.model);
  const isTranslated = material.some((each) => translations.has(each));
  const bridge = isTranslated ? 'translator' : bases.some(isEmbedded) ? 'embedding' : null;
  return { question: language.language, material, bridge };
}

interface HitLists {
  /** Lists in the order of the knowledge bases, each best first. */
  readonly lists: readonly (readonly Candidate[])[];
  /** Whether a deeper search may find more. */
  readonly isCut: boolean;
}

interface Pass {
  readonly bases: readonly { readonly id: string; readonly name: string }[];
  readonly phrases: readonly string[];
  readonly threshold: number;
  /** Limit of the search: hits per knowledge base. */
  readonly depth: number;
  /** No deeper pass follows. */
  readonly isLast: boolean;
}

/** Hits of each knowledge base above the threshold and with the quoted phrases. */
function hitLists(hits: readonly Hit[], { bases, phrases, threshold, depth, isLast }: Pass): HitLists {
  const allowed = withPhrases(hits, phrases).filter(({ similarity }) => similarity >= threshold);
  const isFull = ({ id }: Pass['bases'][number]): boolean =>
    hits.filter((hit) => hit.knowledge_base_id === id).length >= depth;
  return {
    lists: bases.map(({ id, name }) =>
      allowed.flatMap((hit) => (hit.knowledge_base_id === id ? [ownCandidate(hit, name)] : [])),
    ),
    isCut: !isLast && bases.some(isFull),
  };
}

/** The hits that have the quoted phrases; all of them when none has. */
function withPhrases(hits: readonly Hit[], phrases: readonly string[]): readonly Hit[] {
  if (phrases.length === 0) return hits;
  const exact = hits.filter(({ section, text }) => hasPhrases(`${section}\n${text}`, phrases));
  return exact.length === 0 ? hits : exact;
}

/**
 * Hits per knowledge base in the first pass. Each hit copies a text, so a search by words alone fetches few more than
 * `topK`, for near-duplicates that are dropped later. Fusion needs 20. `parent` merges chunks of a section and needs
 * more.
 */
const firstDepth = (
  { topK, parent = false }: PassageQuery,
  { vectors }: Pick<SearchPlan, 'vectors'>,
  isReranked: boolean,
): number => {
  if (isReranked) return rerankDepth(topK);
  if (parent) return 2 * topK + 14;
  return vectors.length === 0 ? 2 * topK + 4 : Math.max(topK + 10, 20);
};
/** Hits of all knowledge bases together in the second pass, for when the first gave too few passages. */
const DEEP_HITS = 800;
const MOST_DEPTH = 400;

/** Hits per knowledge base in the second pass, always more than in the first. */
export const secondDepth = (topK: number, bases: number): number =>
  Math.max(4 * topK + 20, Math.min(MOST_DEPTH, Math.ceil(DEEP_HITS / Math.max(bases, 1))));

interface Sources {
  readonly own: ReadonlyMap<string, KnowledgeBaseEntity>;
  readonly external: readonly string[];
  readonly server: KnowledgeBaseRuntime | null;
}

/** The owner whose access rights open a source, and the person who reads it. */
export interface Readers {
  readonly owner: Principal;
  readonly reader: Principal;
  readonly assistantId: number | null;
}

/** Finds passages with a user's access rights, in knowledge bases and on the organization's external server. */
@Injectable()
export class RetrievalService {
  constructor(
    private readonly permissions: KnowledgeBasePermissions,
    private readonly references: CollectionReferences,
    private readonly own: OwnSearch,
    private readonly external: ExternalSearch,
    private readonly links: SourceLinks,
    private readonly rerankers: Rerankers,
  ) {}

  /**
   * Best passages of collections, with the rights of `owner`. A failing external collection becomes a warning.
   * @throws {AppError} `not_found` for a reference that `owner` may not read, or when the external server knows none of them;
   * `upstream_*` when every collection failed (`upstream_rejected` and `upstream_auth` are final);
   * `embedding_model_mismatch`
   */
  async retrieve(owner: Principal, query: RetrievalQuery): Promise<Retrieval> {
    const refs = [...new Set(query.collections)];
    const { own, external, denied } = await this.references.resolve(owner, refs);
    const server = external.length === 0 ? null : await this.external.serverOf(owner.organizationId);
    const missing = server === null ? [...denied, ...external] : denied;
    if (missing.length > 0) throw new AppError('not_found', `Not found: ${missing.map(referenceInWords).join(', ')}`);
    for (const ref of refs) query.onSearch?.(own.get(ref)?.slug ?? referenceName(ref));
    return this.answer(owner, { own, external, server }, { ...query, collections: refs });
  }

  /** Passages of one knowledge base. */
  async query(principal: Principal, id: string, query: PassageQuery): Promise<Retrieval> {
    return this.queryWith(principal, await this.permissions.readable(principal, id), query);
  }

  /** Passages of one knowledge base that `principal` may read, with the settings of `row`, stored or not. */
  queryWith(principal: Principal, row: KnowledgeBaseEntity, query: PassageQuery): Promise<Retrieval> {
    const own = new Map([[row.id, row]]);
    return this.answer(principal, { own, external: [], server: null }, { ...query, collections: [row.id] });
  }

  /** References that `owner` cannot read now. */
  async inaccessible(owner: Principal, refs: readonly string[]): Promise<string[]> {
    const { external, denied } = await this.references.resolve(owner, refs);
    if (external.length === 0) return [...denied];
    const server = await this.external.serverOf(owner.organizationId);
    return server === null ? refs.filter((ref) => denied.includes(ref) || external.includes(ref)) : [...denied];
  }

  /** References to external collections that are missing in the organization's list. */
  unlisted(owner: Principal, refs: readonly string[]): Promise<string[]> {
    return this.references.unlisted(owner, refs);
  }

  /** Readable collections that cannot be searched in a mode now, with the reason. */
  async unmet(owner: Principal, refs: readonly string[], mode: RetrievalMode): Promise<ReadonlyMap<string, string>> {
    const { own, external } = await this.references.resolve(owner, refs);
    const unmet = new Map(external.map((ref) => [ref, ignoresMode(ref, mode)]));
    for (const [ref, row] of own) {
      const why = this.own.obstacle(row, mode);
      if (why !== null) unmet.set(ref, why);
    }
    return unmet;
  }

  /** Languages of the passages of readable knowledge bases, those of the first one first. */
  async languages(owner: Principal, refs: readonly string[]): Promise<string[]> {
    const { own } = await this.references.resolve(owner, refs);
    return materialLanguages([...own.values()]);
  }

  /** Version of everything that decides the answers; null when it is unknown. @throws {AppError} `not_found` */
  contentVersion(owner: Principal, refs: readonly string[]): Promise<string | null> {
    return this.references.contentVersion(owner, refs);
  }

  /** `host:port` of the external server if one of the collections is there, else null. */
  async target(owner: Principal, refs: readonly string[]): Promise<string | null> {
    const server = await this.external.serverOf(owner.organizationId);
    if (server === null) return null;
    const { external } = await this.references.resolve(owner, refs);
    return external.length === 0 || !URL.canParse(server.serverUrl) ? null : new URL(server.serverUrl).host;
  }

  /** The source with a link for the present reader. */
  readdress(source: Source, { owner, reader, assistantId }: Readers): Source {
    if (source.type !== 'knowledge_base' || source.document_id === undefined || source.knowledge_base === undefined)
      return source;
    if (!this.links.leadsHere(source.url)) return source;
    const { organizationId, userId: ownerId } = owner;
    const { document_id: documentId, knowledge_base } = source;
    const target = { organizationId, knowledgeBaseId: knowledge_base.id, documentId, ownerId };
    return { ...source, url: this.links.sign({ ...target, readerId: reader.userId, assistantId }) };
  }

  private async answer(owner: Principal, sources: Sources, query: RetrievalQuery): Promise<Retrieval> {
    const reranking = this.rerankers.begin(owner.organizationId, [...sources.own.values()], query);
    const [{ plan, hits, first }, answers] = await Promise.all([
      this.searchOwn(owner, sources, query, reranking !== null),
      sources.server === null ? [] : this.external.query(sources.server, sources.external, query),
    ]);
    const collections = query.collections.map((ref) => answerOf(ref, sources, plan, answers));
    const failed = collections.filter(({ error }) => error !== undefined);
    if (failed.length > 0 && failed.length === collections.length) {
      const failures = answers.flatMap(({ failure }) => failure ?? []);
      throw failureOfAll(failures, `No collection answered: ${failed.map(describe).join('; ')}`);
    }
    const { candidates } = await this.arranged(owner, { plan, first, answers, sources, reranking }, query);
    query.signal?.throwIfAborted();
    const { kept, warnings } = withinBudget(candidates.map(withColumnNames), query.maxTokens ?? Infinity);
    const { mode } = query;
    const ignored = mode === undefined ? [] : sources.external.map((ref) => ignoresMode(ref, mode));
    return {
      collections,
      passages: kept.map((candidate) => this.passageOf(owner, candidate, query, plan)),
      question: searchedQuestion(plan, hits, answers.length > 0),
      warnings: [...plan.warnings, ...ignored, ...failed.map(describe), ...(reranking?.warnings ?? []), ...warnings],
    };
  }

  private async searchOwn(
    owner: Principal,
    { own }: Sources,
    query: RetrievalQuery,
    isReranked: boolean,
  ): Promise<Searched> {
    const bases = [...new Map([...own.values()].map((row) => [row.id, row])).values()];
    const wanted = await this.own.plan(owner.organizationId, bases, query);
    const deep = secondDepth(query.topK, bases.length);
    // The passage with a quoted phrase may rank low.
    const depth = wanted.phrases.length === 0 ? firstDepth(query, wanted, isReranked) : deep;
    const { plan, hits } = await this.own.searchCorrected(wanted, depth);
    return { plan, hits, first: hitLists(hits, { ...plan, ...query, depth, isLast: depth >= deep }) };
  }

  private async arranged(
    { organizationId }: Principal,
    { plan, first, answers, sources, reranking }: Omit<Searched, 'hits'> & Found,
    query: RetrievalQuery,
  ): Promise<Selection> {
    const arrangedOf = ({ lists }: HitLists): Promise<Selection> =>
      selectPassages(
        ordered(lists, plan, answers, query, sources),
        query,
        (keys) => this.own.sections(organizationId, keys),
        reranking,
      );
    const arranged = await arrangedOf(first);
    if (!arranged.isShort || !first.isCut) return arranged;
    const depth = secondDepth(query.topK, plan.bases.length);
    return arrangedOf(hitLists(await this.own.search(plan, depth), { ...plan, ...query, depth, isLast: true }));
  }

  private passageOf(
    owner: Principal,
    candidate: Candidate,
    query: RetrievalQuery,
    { question }: Pick<SearchPlan, 'question'>,
  ): Passage {
    if (!isOwn(candidate)) return { ...candidate.passage, text: candidate.text };
    const { knowledge_base_id: knowledgeBaseId, document_id: documentId } = candidate.hit;
    const { organizationId, userId: ownerId } = owner;
    const { reader = owner, assistantId = null } = query;
    const target = { organizationId, knowledgeBaseId, documentId, ownerId, readerId: reader.userId, assistantId };
    return ownPassage(candidate, this.links.sign(target), question.language?.language ?? null);
  }
}

interface Found {
  readonly reranking: Reranking | null;
  readonly answers: readonly ExternalAnswer[];
  readonly sources: Sources;
}

interface Searched {
  readonly plan: SearchPlan;
  readonly hits: readonly Hit[];
  readonly first: HitLists;
}

/** Candidates of each collection, in the order of the query. A knowledge base that is named twice counts once. */
function ordered(
  lists: HitLists['lists'],
  { bases }: SearchPlan,
  answers: readonly ExternalAnswer[],
  { collections }: RetrievalQuery,
  { own }: Pick<Resolved, 'own'>,
): (readonly Candidate[])[] {
  const byPlace = new Map<string, readonly Candidate[]>();
  for (const [index, { id }] of bases.entries()) {
    const ref = collections.find((name) => own.get(name)?.id === id);
    if (ref !== undefined) byPlace.set(ref, lists[index] ?? []);
  }
  for (const { collection, passages } of answers) byPlace.set(collection, passages.map(externalCandidate));
  return collections.flatMap((ref) => [byPlace.get(ref) ?? []]);
}

function answerOf(
  collection: string,
  { own }: Pick<Resolved, 'own'>,
  { modes }: SearchPlan,
  answers: readonly ExternalAnswer[],
): CollectionAnswer {
  const row = own.get(collection);
  if (row !== undefined) return { collection, mode: modes.get(row.id) ?? 'keyword' };
  const error = answers.find((answer) => answer.collection === collection)?.failure?.detail;
  return { collection, mode: null, ...(error === undefined ? {} : { error }) };
}

const ignoresMode = (collection: string, mode: RetrievalMode): string =>
  `Collection ${referenceName(collection)}: its server searches in a way of its own, not in ${mode} mode`;

const describe = ({ collection, error }: CollectionAnswer): string =>
  `Collection ${referenceName(collection)}: ${error ?? 'no answer'}`;
