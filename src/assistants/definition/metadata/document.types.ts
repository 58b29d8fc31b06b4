import type { JsonObject, Problem } from '@bellwether/kernel';
import type { ClassicSetting, ProcessorDefinition } from '../../../processors';
import type { PipelineTool } from '../../../tools';

/** The declarations of a classic processor that reading metadata needs. */
export type ProcessorDeclaration = Pick<ProcessorDefinition, 'name' | 'settings' | 'slots'>;

/** The installed tools and classic processors, for reading metadata. */
export interface ToolVocabulary {
  /** Aliases included; undefined when there is no such processor. */
  findPrompt(name: string): { readonly definition: ProcessorDeclaration } | undefined;
  findRag(name: string): { readonly definition: ProcessorDeclaration } | undefined;
  /** Resolves aliases; an unknown name comes back as written. */
  canonicalName(name: string): string;
  /** Placeholder type of a tool, null when it fills no slot, undefined when there is no such tool. */
  placeholderOf(name: string): string | null | undefined;
  /** Placeholder types of every tool and processor. */
  placeholderTypes(): readonly string[];
}

/** The stored parts of an assistant that decide how it runs. */
export interface StoredDefinition {
  readonly systemPrompt: string;
  readonly promptTemplate: string;
  readonly metadata: JsonObject;
  /** Knowledge bases of a classic assistant (a column of LAMB). */
  readonly ragCollections: readonly string[];
  readonly ragTopK: number;
}

/** Document and template, which migrate together. */
export interface VersionedDefinition {
  readonly metadata: JsonObject;
  readonly template: string;
}

export interface ClassicDefinition extends VersionedDefinition {
  readonly ragCollections: readonly string[];
  readonly ragTopK: number;
}

/** The next version, or everything that prevents it. */
export type StepResult =
  | { readonly ok: true; readonly definition: VersionedDefinition; readonly notes: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export const ASSISTANT_TYPES = ['classic', 'multi_tool'] as const;
export type AssistantType = (typeof ASSISTANT_TYPES)[number];

export const METADATA_VERSIONS = [1, 2, 3] as const;
/** 1: one RAG processor. 2: unnumbered `tools[]` of `{type, enabled, config}`. 3: numbered tools and an orchestrator. */
export type MetadataVersion = (typeof METADATA_VERSIONS)[number];
export const NEWEST_METADATA: MetadataVersion = 3;

/**
 * Knowledge base ids by slug; null for a collection of the external server. Keys of `unboundKey` mark references of any
 * kind that nobody who may read the thing has saved.
 */
export type CollectionIds = Readonly<Record<string, string | null>>;

/** The owner's members, by column. */
export interface Definition {
  type: AssistantType;
  name: string;
  description: string;
  systemPrompt: string;
  promptTemplate: string;
  /** The client's JSON text. */
  metadata: string;
  /** Comma-separated names of knowledge bases (a column of LAMB's). */
  ragCollections: string;
  ragTopK: number;
  /** Ids that the collection names had at the last save; absent where unknown. The version history omits it. */
  readonly collectionIds?: CollectionIds | null;
}

/** The settings of a classic assistant; documents of the other type hold defaults. */
export interface ClassicSettings {
  /** Canonical name, or the stored one when no such processor is installed. */
  readonly promptProcessor: string;
  readonly ragProcessor: string;
  /** The RAG processor fetches; also true for one that is not installed. */
  readonly fetches: boolean;
  /** Settings that the RAG processor reads. */
  readonly reads: readonly ClassicSetting[];
  /** Slots beside `{user_input}`; no other brace of a classic template is a slot. */
  readonly slots: readonly string[];
  /** No RAG processor was chosen at all: then `{context}` leaves nothing, where `no_rag` leaves its blank lines. */
  readonly ragProcessorAbsent?: boolean;
  readonly collections: readonly string[];
  readonly topK: number;
  readonly rubricId: string | number | null;
  readonly rubricFormat: string;
  readonly filePath: string | null;
}

/** The normalised form of a definition of any version. The stored text stays unchanged. */
export interface AssistantDocument {
  readonly type: AssistantType;
  /** Version of the stored metadata. */
  readonly formatVersion: MetadataVersion;
  /** `auto` when absent. Old names of `openai` are resolved. */
  readonly connector: string;
  /** null: the organization's default model. */
  readonly llm: string | null;
  readonly capabilities: { readonly vision: boolean; readonly image_generation: boolean };
  readonly verbose: boolean;
  /** True: without an answer in the material there is no answer. */
  readonly onlyFromMaterial: boolean;
  /** First questions that the chat offers. */
  readonly suggestedQuestions: readonly string[];
  /** `sequential` when absent. The name may be of a removed strategy. */
  readonly orchestrator: string;
  /** Settings of the strategy. */
  readonly orchestratorOptions: JsonObject;
  /** Tools that run before the model, disabled ones included. Empty in classic documents. */
  readonly pipeline: readonly PipelineTool[];
  /** Functions that the model may call, by `type` (`weather`, `assistant`, …). Never mixed with `pipeline`. */
  readonly functions: readonly JsonObject[];
  readonly classic: ClassicSettings;
  readonly systemPrompt: string;
  /** Prompt template; in version 2 with its slots renamed to the numbered placeholders of `pipeline`. */
  readonly template: string;
  /** The stored metadata, parsed and unchanged. */
  readonly raw: JsonObject;
}
