import type { JsonObject } from '../../kernel';
import type { Vendor } from '../../infrastructure/config';
import type { ModelTarget } from './model-target.types';

/** Declared by a connector whose vendor embeds texts. */
export interface EmbeddingAbility {
  /** Suggested by forms; null where each server has its own models. */
  readonly defaultModel: string | null;
  /** Texts and characters of one call, at most. */
  readonly maxTexts: number;
  readonly maxChars: number;
  /** Calls of one organization at a time. */
  readonly parallel: number;
}

export interface EmbeddingProviderDefinition extends EmbeddingAbility {
  /** Name of the connector; value of `embedding.provider` of a knowledge base. */
  readonly name: string;
  /** Null: the service itself embeds. */
  readonly vendor: Vendor | null;
  /** Of a model whose weights may change under its name. */
  readonly version?: string;
}

/** Several model families embed questions and passages differently. */
export type EmbeddingPurpose = 'query' | 'passage';

export interface EmbeddingRequest {
  readonly model: string;
  /** Within the limits of the definition, none of them empty. */
  readonly texts: readonly string[];
  readonly purpose: EmbeddingPurpose;
  /** For models that offer several; null: the model's own. */
  readonly dimensions: number | null;
}

/** Limits of one call, its tries included. */
export interface EmbeddingContext {
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly timeoutMs: number;
  readonly tries: number;
  /** Longest `Retry-After` that is waited for. Milliseconds. */
  readonly maxWaitMs: number;
}

/** One try at the vendor: SSRF rules, deadline, size limit and redaction hold for both ways to ask. */
export interface VendorAccess {
  readonly post: (path: string, body: JsonObject) => Promise<JsonObject>;
  /** For the vendor's SDK. It dials the organization's address, whatever the SDK's base URL is. */
  readonly fetch: typeof fetch;
}

/** A vendor's wire format for embeddings: the vectors in the texts' order, unchecked. */
export type EmbeddingWire = (request: EmbeddingRequest, access: VendorAccess) => Promise<unknown>;

/**
 * A source of embeddings. `embed` gives one vector per text in the texts' order, all of one length, as the vendor sent them:
 * the service checks and normalises them. Rejects with an `AppError`: `upstream_*`, `outbound_refused`,
 * `connector_not_configured` or `cancelled`; `payload_too_large` when texts are longer than the model or the call allows.
 */
export interface EmbeddingProvider {
  readonly definition: EmbeddingProviderDefinition;
  /** Frees what it holds. Absent where it holds nothing. */
  end?(): Promise<void>;
  embed(
    request: EmbeddingRequest,
    target: ModelTarget,
    context: EmbeddingContext,
  ): Promise<readonly (readonly number[])[]>;
}
