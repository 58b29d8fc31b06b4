import type { OutboundClient } from '../../infrastructure/outbound';
import type {
  Connector,
  ConnectorDefinition,
  EmbeddingAbility,
  EmbeddingRequest,
  EmbeddingWire,
  ModelTarget,
  ModelsWire,
  Vendor,
} from '@bellwether/plugin';

export interface EmbeddingProviderDefinition extends EmbeddingAbility {
  /** Name of the connector; value of `embedding.provider` of a knowledge base. */
  readonly name: string;
  /** Null: the service itself embeds. */
  readonly vendor: Vendor | null;
  /** Version of a model whose weights may change under its name. */
  readonly version?: string;
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

/** How long a vendor may take and how much it may send. Milliseconds unless said. */
export interface ModelCallLimits {
  /** Until the response headers of a stream. */
  readonly firstByteMs: number;
  /** Between two reads of a stream. */
  readonly idleMs: number;
  readonly streamTotalMs: number;
  /** A whole plain call, all tries and waits included. */
  readonly plainTotalMs: number;
  readonly tries: number;
  /** First wait between tries; doubles. */
  readonly backoffMs: number;
  /** Longest wait; a vendor that asks for more is not asked again. */
  readonly maxWaitMs: number;
  /** Characters of one answer. */
  readonly maxAnswerChars: number;
}

export const DEFAULT_CALL_LIMITS: ModelCallLimits = {
  firstByteMs: 30_000,
  idleMs: 30_000,
  streamTotalMs: 300_000,
  plainTotalMs: 120_000,
  tries: 3,
  backoffMs: 500,
  maxWaitMs: 20_000,
  maxAnswerChars: 4_000_000,
};

/** Token by which a deployment or a test replaces the limits. */
export const MODEL_CALL_LIMITS = Symbol('MODEL_CALL_LIMITS');

/** A connector before it is connected: its folder exports one, `catalog/index.ts` lists it. */
export interface ConnectorPlugin {
  readonly definition: ConnectorDefinition;
  /** Required by a definition with `embeddings`. */
  readonly embeddings?: EmbeddingWire;
  /** One connector of each vendor has it; absent where the vendor lists no models. */
  readonly models?: ModelsWire;
  connect(parts: ConnectorParts): Connector;
}

export interface ConnectorParts {
  readonly outbound: OutboundClient;
  readonly limits: ModelCallLimits;
}
