import type { JsonObject, KnowledgeBaseSource, Principal, SearchFacts } from '@bellwether/kernel';
import type { RetrievalMode } from '../storage/knowledge-base.types';

/** A part of a document that was found for a query. */
export interface Passage {
  /** A slice of the document's text; rows from the middle of a table have its column names above them. */
  readonly text: string;
  /** 0..1, higher is closer. */
  readonly similarity: number;
  readonly source: KnowledgeBaseSource;
  readonly metadata: JsonObject;
  /** Texts of the chunks that it consists of; absent for an external passage. */
  readonly chunks?: readonly string[];
}

export interface PassageQuery {
  readonly text: string;
  readonly topK: number;
  /** Passages below this similarity are left out. */
  readonly threshold: number;
  /** Default: the mode of each knowledge base. A mode that cannot run is replaced by keyword mode with a warning. */
  readonly mode?: RetrievalMode;
  /** Rejects the query when a knowledge base has vectors of another model. */
  readonly embeddingModel?: string;
  /** Matches small chunks and returns their whole sections. */
  readonly parent?: boolean;
  /** Whether the organization's reranker sorts the passages. Default: as each knowledge base says. */
  readonly rerank?: boolean;
  /** Budget of estimated tokens for all passages together; no limit without it. */
  readonly maxTokens?: number;
  /** User who gets the links to the originals. Default: the user whose access rights are used. */
  readonly reader?: Pick<Principal, 'userId'>;
  /** Assistant that asks. Its links work for users who may use it. */
  readonly assistantId?: number;
  readonly signal?: AbortSignal;
  /** Milliseconds for the external server. Default: `TOOL_DEFAULT_TIMEOUT`. */
  readonly timeoutMs?: number;
}

export interface RetrievalQuery extends PassageQuery {
  /** Ids or slugs of knowledge bases, or collection ids of the organization's external server. */
  readonly collections: readonly string[];
  /**
   * True takes up to `topK` passages of each collection in turn, near-duplicates included, as LAMB does. Default: one
   * ranking over all collections, up to `topK` passages, without near-duplicates.
   */
  readonly grouped?: boolean;
  /** Told each collection, by slug or by its name on the external server, before the search begins. */
  readonly onSearch?: (name: string) => void;
}

export interface CollectionAnswer {
  readonly collection: string;
  /** Null for an external collection: the server does not tell. */
  readonly mode: RetrievalMode | null;
  /** Why the collection failed. */
  readonly error?: string;
}

export interface Retrieval {
  /** Answers in the order of the query's collections. */
  readonly collections: readonly CollectionAnswer[];
  readonly passages: readonly Passage[];
  /** How it was understood, and how well the passages fit it. */
  readonly question: SearchFacts;
  /** Modes that could not run, collections that failed, passages beyond the budget. */
  readonly warnings: readonly string[];
}
