import type { JsonObject } from '../../kernel';

export interface RerankRequest {
  readonly model: string | null;
  readonly question: string;
  readonly passages: readonly string[];
}

/** The vendor's judgement of one passage, unchecked. */
export interface RawScore {
  /** Place of the passage in the request, from 0. */
  readonly index: unknown;
  readonly score: unknown;
}

/** The wire format of a vendor that sorts passages by how well they answer a question. */
export interface RerankDialect {
  /** Value of `reranker.dialect` in the settings of an organization. */
  readonly name: string;
  /** Appended to an address that does not end in `/rerank`; its first part is left out where the address ends in it. */
  readonly path: string;
  body(request: RerankRequest): JsonObject;
  /** Null for an answer of another form. */
  scores(answer: unknown): readonly RawScore[] | null;
}
