import type { ChatMessage, EmitRunEvent, FunctionCall, JsonObject, Usage } from '../../kernel';

export interface ConnectorCapabilities {
  readonly streaming: boolean;
  readonly vision: boolean;
  readonly functions: boolean;
  readonly image_generation: boolean;
}

export interface ConnectorDefinition {
  readonly name: string;
  /** Old names that load as this connector (`openai_tools`, `openai_tool_use`). */
  readonly aliases: readonly string[];
  readonly display_name: string;
  readonly description: string;
  readonly capabilities: ConnectorCapabilities;
  /** Key of the organization's `providers` this connector reads; null when it needs none. */
  readonly provider: string | null;
  /** True when the vendor answers nobody without a key. */
  readonly needsKey: boolean;
  /** Models that the connector itself has; empty when the vendor's settings name them. */
  readonly models: readonly string[];
  /** Regular expression that the names of its models match, where a provider has others too; absent: all of them. */
  readonly modelPattern?: string;
  /** Model when neither the assistant nor the organization names one; null when there is no sensible one. */
  readonly defaultModel: string | null;
}

/** A model request after the assistant's work is done. `params` are OpenAI's other body members, passed through. */
export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly params: JsonObject;
}

/** Where to send it: the organization's provider settings with its secret, resolved for this one call. */
export interface ModelTarget {
  readonly baseUrl: string;
  readonly apiKey: string | null;
  /** True for base URLs from the environment: the operator's, dialled without the private-address refusal. */
  readonly trusted: boolean;
}

export interface ModelCallContext {
  readonly signal: AbortSignal;
  readonly runId: string;
  /** Whose conversation it is; what a connector keeps of an answer is found again in calls of the same scope only. */
  readonly scope?: string;
  readonly emit: EmitRunEvent;
}

/** An image that a model made. Bytes as the vendor sent them: whoever stores them checks type and size. */
export interface ModelImage {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/**
 * What one chunk adds to the first choice's function calls, as the vendor sent it: any member may be missing, shifted or
 * repeated, and `tool-calling/` puts calls together from them.
 */
export interface FunctionCallDelta {
  readonly index: number | null;
  readonly id: string | null;
  readonly name: string | null;
  readonly arguments: string;
}

/** A whole answer in OpenAI's `chat.completion` shape. */
export interface ModelAnswer {
  readonly body: JsonObject;
  readonly text: string;
  readonly finishReason: string;
  readonly usage: Usage | null;
  /** Functions that the first choice wants called; empty when it wants none. */
  readonly calls: readonly FunctionCall[];
  /** What a connector with the capability `image_generation` made. */
  readonly images?: readonly ModelImage[];
}

/** One OpenAI `chat.completion.chunk`: `data` is its JSON text on one line, ready to be framed, the rest is what the service needs of it. */
export interface ModelChunk {
  readonly data: string;
  /** What the first choice gained. */
  readonly text: string;
  readonly finishReason: string | null;
  /** Set on at most one chunk, the finishing one or the one after it. */
  readonly usage: Usage | null;
  /** Absent in the many chunks without any. */
  readonly calls?: readonly FunctionCallDelta[];
  readonly images?: readonly ModelImage[];
}

/**
 * One model vendor. Both methods reject with an `AppError` whose code is one of `upstream_*`, `cancelled`,
 * `outbound_refused` or `connector_not_configured`; a stream that ends without a finish reason rejects with
 * `upstream_truncated`. `stream` yields the chunks of one socket read at a time and stops reading while the consumer
 * does not ask; it ends normally only after a chunk with a finish reason. Every chunk it yields is meant for the client:
 * usage is always asked of the vendor, but OpenAI's extra chunk with empty `choices` is yielded only when
 * `params.stream_options.include_usage` is true; otherwise its figures arrive in `usage` of the finishing chunk.
 */
export interface Connector {
  readonly definition: ConnectorDefinition;
  complete(request: ModelRequest, target: ModelTarget, context: ModelCallContext): Promise<ModelAnswer>;
  stream(request: ModelRequest, target: ModelTarget, context: ModelCallContext): AsyncIterable<readonly ModelChunk[]>;
}
