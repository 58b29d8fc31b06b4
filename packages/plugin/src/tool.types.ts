import type {
  Awaitable,
  BoundedTry,
  Caller,
  ChatMessage,
  JsonObject,
  Principal,
  Source,
  ToldSearch,
  Usage,
} from '@bellwether/kernel';
import type { AssistantAbility, Citation } from './assistant-ability.types';

/** Languages of the web UI. */
export const DISPLAY_LANGUAGES = ['en', 'es', 'ca', 'eu'] as const;
export type DisplayLanguage = (typeof DISPLAY_LANGUAGES)[number];

export interface DisplayText {
  readonly name: string;
  /** One sentence on what it does. */
  readonly about: string;
}

export type DisplayTexts = Readonly<Partial<Record<DisplayLanguage, DisplayText>>>;

/** Icons (lucide.dev) that the web UI draws; another name is drawn as a wrench. */
export const TOOL_ICONS = [
  'book-open',
  'circle-off',
  'clipboard-check',
  'cloud-sun',
  'combine',
  'file-text',
  'graduation-cap',
  'id-card',
  'image',
  'list-checks',
  'merge',
  'message-square',
  'plug',
  'scan-search',
  'shield-alert',
  'text-search',
  'wrench',
] as const;

/** JSON Schema (draft 2020-12 subset that Ajv checks) of a tool's `config`; the web form is drawn from it. */
export type ConfigSchema = JsonObject;

export interface ToolExample {
  readonly query: string;
  readonly parameters: JsonObject;
  readonly expected_result: string;
}

/** Decides when a planner runs a tool: searches and content first, then synthesis, then checks. */
export const TOOL_ROLES = ['search', 'content', 'personal', 'other', 'synthesis', 'check', 'nothing'] as const;
export type ToolRole = (typeof TOOL_ROLES)[number];

/** `found`: content that statements can be checked against. `derived`: written from earlier results. `none`: a judgement. */
export const EVIDENCE = ['found', 'derived', 'none'] as const;
export type Evidence = (typeof EVIDENCE)[number];

/** A plugin that searches the material of a course. */
export interface MaterialSearch {
  /** How a result shows that nothing was found: it is empty, or it says so to the model in words. */
  readonly nothing_found: 'empty' | 'worded';
}

/** The only declaration of a tool: catalogue, validation, OpenAPI, web form, planner and judges read it. */
export interface ToolDefinition {
  readonly name: string;
  /** Other names accepted on input, such as `rubric`, `single_file` and `no_tool` of version 2. */
  readonly aliases: readonly string[];
  /** English name. Pages, reports and API show no other. */
  readonly display_name: string;
  readonly description: string;
  /** A missing language falls back to `display_name` and `description`. */
  readonly texts?: Omit<DisplayTexts, 'en'>;
  /** Placeholder type the tool fills (`context` in `{1_context}`); null when it fills none. */
  readonly placeholder: string | null;
  readonly category: string;
  /** `other` without it. */
  readonly role?: ToolRole;
  /** How far a result supports an answer; `found` by default. */
  readonly evidence?: Evidence;
  /** Absent for a plugin that searches no material. Not shown by the catalogue routes. */
  readonly material_search?: MaterialSearch;
  readonly version: string;
  readonly config_schema: ConfigSchema;
  readonly kind: 'pipeline' | 'function';
  /** Name that the model calls a function by, where it is always the same, e.g. `get_weather`. */
  readonly function_name?: string;
  /** One of `TOOL_ICONS`. */
  readonly icon: string;
  readonly allow_multiple: boolean;
  readonly parameters: JsonObject;
  readonly examples: readonly ToolExample[];
  readonly capabilities: readonly string[];
  readonly limitations: readonly string[];
  readonly cost: { readonly unit: 'none' | 'tokens' | 'request'; readonly estimate: number };
}

/** The question of the student: data, never scanned for placeholders. */
export interface ToolInput {
  /** Text of the last user message. */
  readonly query: string;
  readonly messages: readonly ChatMessage[];
  /** The other members of the request as the client sent them: `metadata`, `user`, sampling options. Empty for functions. */
  readonly params?: JsonObject;
}

export interface ToolContext {
  readonly signal: AbortSignal;
  /** Milliseconds until `signal` fires because the time of this try is over. */
  readonly remainingMs: number;
  /** Content is read with the rights of the assistant's owner. */
  readonly owner: Principal;
  readonly caller: Caller;
  readonly assistantId: number;
  /** Connector that the assistant names, `auto` for the organization's default. */
  readonly connector: string;
  readonly runId: string;
  /** The template with earlier slots filled (sequential strategy: chained context); later slots still stand as written. */
  readonly prompt: string;
  /** Outcomes of the tools that ran before, by placeholder. */
  readonly results: ReadonlyMap<string, ToolOutcome>;
  /** The model's finished answer, for tools of the phase `answer`; else null. */
  readonly answer: string | null;
  /** null inside a nested run. */
  readonly assistants: AssistantAbility | null;
  /** Emits `tool.progress` for this tool: one line, identifiers only, cut at 200 characters. */
  readonly progress: (message: string) => void;
}

export interface FoundPassage {
  /** Position in `sources`. */
  readonly source: number;
  readonly text: string;
}

export interface ToolOutput {
  readonly content: string;
  readonly sources: readonly Source[];
  /** 0..1, or null when the tool has no opinion. */
  readonly confidence: number | null;
  /** Ascending by `at`. */
  readonly citations?: readonly Citation[];
  /** The texts that the content was made of. Absent: the content is one text. */
  readonly passages?: readonly FoundPassage[];
  /** Degraded work the user should know of, such as an unreachable collection. */
  readonly warnings?: readonly string[];
  /** The query that the tool used instead of the question; for the report, which only editors see. */
  readonly query?: string | null;
  /** Tokens of the model requests that the tool made; the run pays for them. */
  readonly usage?: Usage | null;
  /** How a search understood the question, and how well the material fits it. */
  readonly search?: ToldSearch | null;
  /** The prompt says what `search` tells about the content. */
  readonly saysFit?: boolean;
}

/** Inputs that a result depends on beside config, version and question. A result that depends on an undeclared input is not kept. */
export interface ToolCaching<Config = JsonObject> {
  /** Neither the result nor its warnings depend on the question: one result serves all questions. */
  readonly forEveryQuestion?: boolean;
  /** The result is about the person who asks: it is kept for them alone. */
  readonly personal?: boolean;
  /** The conversation before the question decides, too. */
  messages?(config: Config): boolean;
  /** Earlier tools' results decide, too (`context.results` or `context.prompt`). */
  readonly results?: boolean;
  /**
   * Changes whenever the content that the tool reads changes: knowledge bases, rubric, file. Called for every tool call,
   * with the owner's rights; null when nothing may be kept. Rejects if the owner may not read the content: then the tool
   * runs and reports it itself.
   */
  contentVersion?(config: Config, context: Pick<ToolContext, 'owner' | 'signal'>): Promise<string | null>;
  /** Makes a kept result this caller's own, for example by signing the links of its sources anew. With it, the tool may look at who asks and for which assistant: it answers for their deciding nothing else. */
  renew?(output: ToolOutput, context: ToolContext): ToolOutput;
}

/**
 * Reasons why a config with the right types cannot be used yet, or (`tool.degraded`) works worse than it asks for. `path` is
 * relative to `config`.
 */
export interface ConfigGap {
  readonly path: string;
  readonly message: string;
  readonly code:
    'tool.config_incomplete' | 'tool.inaccessible' | 'tool.unreadable' | 'tool.degraded' | 'collection.unlisted';
  /** `reason`: code of an exact text; the others are its values. */
  readonly values?: Readonly<Record<string, string | number>>;
}

/**
 * A plugin: one declaration and one method. `run` may throw; only the invoker calls it and turns every failure into an outcome.
 * `config` has passed `definition.config_schema` with defaults filled in.
 *
 * The invoker answers for whatever `run` throws, rejects with, returns or never returns. Out of its reach, as for any
 * in-process plugin: an exception in a timer or event listener that the tool left behind, and a loop that holds the thread.
 */
export interface Tool<Config = JsonObject> {
  readonly definition: ToolDefinition;
  /** Milliseconds a call may take where the entry names none; `TOOL_DEFAULT_TIMEOUT` without it. */
  readonly timeoutMs?: number;
  /** Retries after a failed try where the entry names none; `TOOL_MAX_RETRIES` without it. 0 for tools whose upstream client retries already. */
  readonly retries?: number;
  /** Tells apart ways of working that `config` does not show, where times of calls are learned. */
  readonly variant?: string;
  /** Absent: results are never kept. */
  readonly caching?: ToolCaching<Config>;
  /** A tool that waits for nothing may answer without a promise. */
  run(config: Config, input: ToolInput, context: ToolContext): Awaitable<ToolOutput>;
  /** `host:port` that a call would reach, for its bulkhead and its circuit breaker; null or absent: it stays in the house. */
  target?(config: Config, context: Pick<ToolContext, 'owner' | 'connector'>): Promise<string | null>;
  /** `answer`: looks at the finished answer and reports, instead of filling a slot before the model is asked. */
  phase?(config: Config): 'pipeline' | 'answer';
  /** Set when `run` works on earlier results: of the named tool, or of any (null). Absent: it needs none. */
  needs?(config: Config): { readonly tool: string | null };
  /** Required choices that are still empty, and references that `owner` may not read. Asked at save and in
   * `/validate`. `run` finds the same by doing its work on fresh rows, and fails with the same codes. */
  gaps?(config: Config, owner: Principal): Promise<readonly ConfigGap[]>;
  /** Most UTF-16 units of content that reach the prompt; without it the common limit holds. */
  outputLimit?(config: Config): number;
}

export const TOOL_FAILURE_CODES = [
  'tool.unknown',
  'tool.config_invalid',
  'tool.config_incomplete',
  'tool.inaccessible',
  'tool.timeout',
  'tool.cancelled',
  'tool.output_invalid',
  'tool.arguments_invalid',
  'tool.unavailable',
  'tool.limit',
  'tool.failed',
] as const;
export type ToolFailureCode = (typeof TOOL_FAILURE_CODES)[number];

interface OutcomeBase {
  readonly index: number;
  readonly plugin: string;
  readonly placeholder: string | null;
  readonly duration_ms: number;
}

/** How one tool call ended. The invoker never throws: every failure is one of these. */
export type ToolOutcome =
  | (OutcomeBase & {
      readonly status: 'completed';
      readonly content: string;
      /** UTF-16 units of the content as the tool gave it. Citation numbers, known only later, are not counted. */
      readonly chars: number;
      readonly sources: readonly Source[];
      readonly citations: readonly Citation[];
      readonly passages?: readonly FoundPassage[];
      readonly confidence: number | null;
      readonly cached: boolean;
      readonly retries: number;
      /** The last try that history ended before its time; absent where it ended none. */
      readonly bounded?: BoundedTry;
      readonly warnings: readonly string[];
      readonly query?: string | null;
      readonly usage?: Usage | null;
      readonly search?: ToldSearch | null;
      readonly saysFit?: boolean;
      /** Evidence of the tool that answered; absent for `found`. */
      readonly evidence?: Evidence;
      /** The tool that answered in this one's place; absent when it answered itself. */
      readonly fallback?: string;
      /** True when the output was cut at the output limit. */
      readonly truncated: boolean;
    })
  | (OutcomeBase & {
      readonly status: 'failed';
      readonly code: ToolFailureCode;
      readonly message: string;
      readonly retries: number;
      readonly bounded?: BoundedTry;
      /** Tokens that its tries spent; absent without any. */
      readonly usage?: Usage;
    })
  | (OutcomeBase & { readonly status: 'skipped'; readonly reason: string });

export const ON_ERROR = ['continue', 'fail', 'fallback'] as const;
export const FALLBACK_CONDITIONS = ['on_error', 'on_low_confidence'] as const;
export const ON_DEPENDENCY_FAILURE = ['skip', 'run'] as const;

/** The tool that runs instead of a failed one: its outcome goes into the tool's own slot. */
export interface ToolFallback {
  readonly plugin: string;
  readonly config: JsonObject;
  readonly condition: (typeof FALLBACK_CONDITIONS)[number];
  /** Threshold of `on_low_confidence`: a confidence below it calls for the fallback; none (null) never does. */
  readonly threshold: number;
}

/** One entry of a version 3 document's `tools`, normalised. */
export interface PipelineTool {
  /** Position in the document's `tools`, from 0, disabled ones counted. */
  readonly index: number;
  /** Canonical plugin name (aliases resolved), or the unknown name as written. */
  readonly plugin: string;
  /** Without braces, e.g. `1_context`; null for tools that fill no slot. */
  readonly placeholder: string | null;
  /** Name that the author gave the tool; absent without one. */
  readonly label?: string;
  /** Questions that the author says the tool is for; absent without any. */
  readonly example_questions?: readonly string[];
  readonly enabled: boolean;
  readonly config: JsonObject;
  readonly on_error: (typeof ON_ERROR)[number];
  readonly timeout_ms: number | null;
  readonly retries: number | null;
  readonly cache: boolean;
  /** Placeholders of tools that must have settled first. */
  readonly depends_on: readonly string[];
  readonly on_dependency_failure: (typeof ON_DEPENDENCY_FAILURE)[number];
  /** JSON Logic; null runs always. */
  readonly when: unknown;
  readonly fallback: ToolFallback | null;
}

/** Progress texts of one tool call; they differ between strategies (docs/reference/events.md). `target` is `{plugin} → {placeholder}`. */
export interface ToolTexts {
  readonly started: (target: string) => string;
  readonly completed: (tool: Pick<PipelineTool, 'plugin' | 'placeholder'>, chars: number) => string;
}
