import type {
  Awaitable,
  ChatMessage,
  EmitRunEvent,
  FunctionCall,
  JsonObject,
  SourcePassage,
  Translated,
  Usage,
} from '@bellwether/kernel';

/** A vendor of models, as its connector declares it. */
export interface Vendor {
  /** Key in the `providers` of an organization. */
  readonly name: string;
  /** True when the vendor requires a key. */
  readonly needsKey: boolean;
  /** Used when neither the organization nor the environment names an address; null: the vendor has none of its own. */
  readonly baseUrl: string | null;
  /** Names of the variables that configure the vendor for the default organization. */
  readonly environment: { readonly apiKey?: string; readonly baseUrl?: string };
}

/** The vendor's address and key: the organization's provider settings, resolved for one call. */
export interface ModelTarget {
  readonly baseUrl: string;
  readonly apiKey: string | null;
  /** True for base URLs from the environment: the operator's, dialled without the private-address refusal. */
  readonly trusted: boolean;
  /** Not the vendor's public address: a server of the operator or the organization may continue the trace. */
  readonly continuesTraces?: boolean;
}

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

/** Several model families embed questions and passages differently. */
export type EmbeddingPurpose = 'query' | 'passage';

export interface EmbeddingRequest {
  readonly model: string;
  /** Texts within the limits of the definition, none of them empty. */
  readonly texts: readonly string[];
  readonly purpose: EmbeddingPurpose;
  /** Length of the vectors, for models that offer several; null: the model's own. */
  readonly dimensions: number | null;
}

/** One try at the vendor: SSRF rules, deadline, size limit and redaction hold for both ways to ask. */
export interface VendorAccess {
  readonly post: (path: string, body: JsonObject) => Promise<JsonObject>;
  /** Fetch for the vendor's SDK. It dials the organization's address, whatever the SDK's base URL is. */
  readonly fetch: typeof fetch;
}

/** A vendor's wire format for embeddings: the vectors in the texts' order, unchecked. */
export type EmbeddingWire = (request: EmbeddingRequest, access: VendorAccess) => Promise<unknown>;

/** A model as its vendor lists it. */
export interface ListedModel {
  readonly id: string;
  /** The vendor's name for people; null where it has none. */
  readonly name: string | null;
}

/** How a vendor lists its models. The answer of the request also proves that address and key are right. */
export interface ModelsWire {
  /** Path below the base URL, and the vendor's own headers; OpenAI's way of showing the key when absent. */
  readonly request: (target: ModelTarget) => {
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
  };
  /** Null for an answer that is no list of models. */
  readonly read: (payload: unknown) => readonly ListedModel[] | null;
}

export interface ConnectorCapabilities {
  readonly streaming: boolean;
  readonly vision: boolean;
  readonly functions: boolean;
  readonly image_generation: boolean;
}

/** Everything that the service and the UI know about a connector. */
export interface ConnectorDefinition {
  readonly name: string;
  /** Old names that load as this connector (`openai_tools`, `openai_tool_use`). */
  readonly aliases: readonly string[];
  readonly display_name: string;
  readonly description: string;
  readonly texts: Translated<'description'>;
  /** Name in the Lucide icon set. */
  readonly icon: string;
  readonly capabilities: ConnectorCapabilities;
  /** The kind of answer of a connector without a model: quotations from the material, or the prompt for debugging. */
  readonly answers?: 'quotations' | 'prompt';
  /** Null for a connector without a vendor. */
  readonly vendor: Vendor | null;
  /** Models that the connector itself has; empty when the vendor's settings name them. */
  readonly models: readonly string[];
  /** Regular expression for the models of this connector, where its vendor has others too. Absent: all of them. */
  readonly modelPattern?: string;
  /** Used when neither the assistant nor the organization names a model; null when there is no sensible one. */
  readonly defaultModel: string | null;
  /** Absent where the vendor embeds no texts. */
  readonly embeddings?: EmbeddingAbility;
}

/** A model request after the assistant's work is done. `params` are OpenAI's other body members, passed through. */
export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly params: JsonObject;
  /** Pseudonym of the person who asks, for vendors that take one. */
  readonly pseudonym?: string;
  /** Material for connectors without a model. It is never sent to a vendor. */
  readonly material?: QuotableMaterial;
}

/** The question as it was asked, and the passages that the tools found for it. */
export interface QuotableMaterial {
  readonly question: string;
  readonly passages: readonly SourcePassage[];
}

export interface ModelCallContext {
  readonly signal: AbortSignal;
  readonly runId: string;
  /** Identifies the conversation. A connector recalls kept values in the same scope only. */
  readonly scope?: string;
  /** The organization of the assistant. What a connector learns of a model counts for it alone. */
  readonly organizationId?: string;
  readonly emit: EmitRunEvent;
}

/** An image that a model made. Bytes as the vendor sent them: the store checks type and size. */
export interface ModelImage {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/**
 * A piece of a function call in a chunk. `index` counts the calls of an answer from 0; the first piece of a call has its id
 * and whole name, later ones have null there and more of the arguments. Connectors repair what vendors send otherwise.
 */
export interface FunctionCallDelta {
  readonly index: number;
  readonly id: string | null;
  readonly name: string | null;
  readonly arguments: string;
  /** `extra_content` of the call; absent in calls without any. */
  readonly extraContent?: JsonObject;
}

/**
 * Members beyond OpenAI's that the vendor demands back in the message with the answer's calls. DeepSeek refuses a
 * tool result without the `reasoning_content` of its call, even an empty one
 * (api-docs.deepseek.com/guides/thinking_mode); Gemini signs its thoughts in `extra_content`
 * (ai.google.dev/gemini-api/docs/thought-signatures).
 */
export interface EchoedMembers {
  readonly reasoning_content?: string;
  readonly extra_content?: JsonObject;
}

/** A whole answer in OpenAI's `chat.completion` shape. */
export interface ModelAnswer {
  readonly body: JsonObject;
  readonly text: string;
  readonly finishReason: string;
  readonly usage: Usage | null;
  /** Functions that the first choice wants called; empty when it wants none. */
  readonly calls: readonly FunctionCall[];
  /** Absent where the vendor sent none. */
  readonly echoed?: EchoedMembers;
  /** Images of connectors with the capability `image_generation`. */
  readonly images?: readonly ModelImage[];
}

/**
 * One OpenAI `chat.completion.chunk`: `data` is its JSON on one line, ready for framing; the other members are read
 * from it.
 */
export interface ModelChunk {
  readonly data: string;
  /** Added to the first choice. */
  readonly text: string;
  readonly finishReason: string | null;
  /** Set on at most one chunk, the finishing one or the one after it. */
  readonly usage: Usage | null;
  /** Absent in the many chunks without any. */
  readonly calls?: readonly FunctionCallDelta[];
  /** Pieces of these members in this chunk: `reasoning_content` is streamed. */
  readonly echoed?: EchoedMembers;
  readonly images?: readonly ModelImage[];
}

/**
 * Takes the chunks of one socket read of a stream. A promise stops the reading until it resolves. An error ends the
 * stream, which rejects with it.
 */
export type TakeChunks = (chunks: readonly ModelChunk[]) => Promise<void> | undefined;

/**
 * One model vendor. `complete` needs no promise where it waits for nothing. Both methods fail with an `AppError` whose
 * code is one of `upstream_*`, `cancelled`,
 * `outbound_refused` or `connector_not_configured`; a stream that ends without a finish reason rejects with
 * `upstream_truncated`. `stream` gives the chunks of one socket read at a time to `take`, in the turn in which they
 * arrive, and resolves only after a chunk with a finish reason. Every chunk is meant for the client:
 * usage is always asked of the vendor, but OpenAI's extra chunk with empty `choices` is given only when
 * `params.stream_options.include_usage` is true; otherwise its figures arrive in `usage` of the finishing chunk.
 */
export interface Connector {
  readonly definition: ConnectorDefinition;
  complete(request: ModelRequest, target: ModelTarget, context: ModelCallContext): Awaitable<ModelAnswer>;
  stream(request: ModelRequest, target: ModelTarget, context: ModelCallContext, take: TakeChunks): Promise<void>;
}

/** Types that every vision model accepts. SVG is left out: it can hold scripts. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

export interface InlineImage {
  readonly mediaType: ImageType;
  readonly base64: string;
}

/** Images of one request by the address that the message gives. */
export type InlineImages = ReadonlyMap<string, InlineImage>;

/** One call of a vendor. */
export interface ConnectorCall<Kept extends object = object> {
  readonly request: ModelRequest;
  readonly target: ModelTarget;
  readonly stream: boolean;
  /** Images of `imageMessages`, by the address in the message. */
  readonly images: InlineImages;
  /** The value that an earlier answer of this conversation kept under the id of a function call. */
  readonly recall: (callId: string) => Kept | undefined;
}

export interface VendorPost {
  /** Appended to the base URL; may hold a query. */
  readonly path: string;
  /** The vendor's own headers, the key among them; OpenAI's way when absent. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/** The part of an answer that one event adds. */
export interface Gain {
  readonly text: string;
  readonly calls: readonly FunctionCall[];
  readonly images: readonly ModelImage[];
}

/** Assembles one answer from a vendor's events. A whole answer is one event. */
export interface AnswerDecoder<Kept extends object = object> {
  /** @throws AppError `upstream_bad_response`, `upstream_truncated` */
  add(event: JsonObject): Gain;
  /** True once the vendor told how the answer ended. */
  readonly finished: boolean;
  /** True once nothing more is expected. */
  readonly done: boolean;
  /** Finish reason in OpenAI's words. @throws AppError when the answer says nothing */
  readonly finishReason: string;
  readonly usage: Usage;
  /** Values to send back with the results of calls, by call id. */
  readonly kept: ReadonlyMap<string, Kept>;
}

/**
 * A vendor's wire format. Deadlines, retries, limits, redaction, image downloads and OpenAI's chunks are the service's: a
 * codec translates and does no I/O.
 */
export interface ConnectorCodec<Kept extends object = object> {
  /** How the events of a stream are separated: server-sent events, or a JSON object a line. */
  readonly framing: 'sse' | 'lines';
  encode(call: ConnectorCall<Kept>): VendorPost;
  /** Puts one answer together; `maxAnswerChars` bounds it. */
  decoder(maxAnswerChars: number): AnswerDecoder<Kept>;
  /** An event that stands for a failure: the vendor's words, or its `{ message, type, code }`; null for a part of an answer. */
  failure?(event: JsonObject): string | JsonObject | null;
  /** Messages whose images are sent as bytes; absent: the vendor is given their addresses. */
  imageMessages?(request: ModelRequest): readonly ChatMessage[];
}

/** A connector as a package declares it: with a `codec` for a vendor, or an `answer` of its own without one. */
export interface ConnectorEntry {
  readonly definition: ConnectorDefinition;
  readonly codec?: ConnectorCodec;
  /** Writes a whole answer; streams get it in pieces. */
  readonly answer?: (request: ModelRequest) => string;
  /** Required by a definition with `embeddings`. */
  readonly embeddings?: EmbeddingWire;
  /** Absent where the vendor lists no models. */
  readonly models?: ModelsWire;
}
