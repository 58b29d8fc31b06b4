import type { Vendor } from '../../platform/config';
import type { OutboundClient } from '../../platform/outbound';
import type { ModelTarget } from './connector.types';

export interface EmbeddingProviderDefinition {
  /** Value of `embedding.provider` of a knowledge base. */
  readonly name: string;
  readonly display_name: string;
  readonly description: string;
  readonly vendor: Vendor;
  /** Texts and characters of one call, at most. */
  readonly maxTexts: number;
  readonly maxChars: number;
  /** Calls of one organization at a time. */
  readonly parallel: number;
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

/** A try at one call; how often it is tried and for how long is the caller's affair. */
export interface EmbeddingContext {
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly timeoutMs: number;
  readonly tries: number;
  /** Longest wait before another try that a vendor may ask for. Milliseconds. */
  readonly maxWaitMs: number;
}

/**
 * A source of embeddings. `embed` gives one vector per text in the texts' order, all of one length, as the vendor sent them:
 * the service checks and normalises them. Rejects with an `AppError`: `upstream_*`, `outbound_refused`,
 * `connector_not_configured` or `cancelled`; `payload_too_large` when texts are longer than the model or the call allows.
 */
export interface EmbeddingProvider {
  readonly definition: EmbeddingProviderDefinition;
  embed(
    request: EmbeddingRequest,
    target: ModelTarget,
    context: EmbeddingContext,
  ): Promise<readonly (readonly number[])[]>;
}

/** A source of embeddings before it is connected. */
export interface EmbeddingPlugin {
  readonly definition: EmbeddingProviderDefinition;
  connect(outbound: OutboundClient): EmbeddingProvider;
}
