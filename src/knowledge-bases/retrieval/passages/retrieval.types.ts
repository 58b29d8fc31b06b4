import type { JsonObject, KnowledgeBaseSource, Principal } from '../../../kernel';
import type { RetrievalMode } from '../../storage/knowledge-base.types';

/** One piece of a document that answers a query. */
export interface Passage {
  /** A slice of the document's text; rows from the middle of a table stand under its column names. */
  readonly text: string;
  /** 0..1, higher is closer. */
  readonly similarity: number;
  readonly source: KnowledgeBaseSource;
  readonly metadata: JsonObject;
}

/** How passages are looked for and what is made of them. */
export interface PassageQuery {
  readonly text: string;
  readonly topK: number;
  /** Passages below this similarity are left out. */
  readonly threshold: number;
  /** Without a wish each knowledge base decides. A wish that cannot be met ends in keyword mode and a warning. */
  readonly mode?: RetrievalMode;
  /** Model that the vectors are expected to come from; another one is refused. */
  readonly embeddingModel?: string;
  /** Small chunks are matched, their whole sections returned. */
  readonly parent?: boolean;
  /** Estimated tokens of all passages together, at most; no limit without it. */
  readonly maxTokens?: number;
  /** Who will open the links to the originals; the one whose rights are used when absent. */
  readonly reader?: Pick<Principal, 'userId'>;
  /** Assistant that asks: its links work for who may use it. */
  readonly assistantId?: number;
  readonly signal?: AbortSignal;
  /** Milliseconds that an external server may take; `TOOL_DEFAULT_TIMEOUT` without it. */
  readonly timeoutMs?: number;
}

export interface RetrievalQuery extends PassageQuery {
  /** Ids or slugs of knowledge bases, or collection ids of the organization's external server. */
  readonly collections: readonly string[];
  /**
   * As LAMB does it: up to `topK` passages of each collection, collection after collection, near-duplicates among them.
   * Without it the ranking is global: up to `topK` passages in all, each text once.
   */
  readonly grouped?: boolean;
}

/** How one collection answered. */
export interface CollectionAnswer {
  readonly collection: string;
  /** null for collections of an external server, which does not tell. */
  readonly mode: RetrievalMode | null;
  /** Why this collection gave nothing, when it failed. */
  readonly error?: string;
}

export interface Retrieval {
  /** In the order of the query's collections. */
  readonly collections: readonly CollectionAnswer[];
  readonly passages: readonly Passage[];
  /** What did not go as wished: a mode that could not run, a collection without an answer, passages over the budget. */
  readonly warnings: readonly string[];
}
