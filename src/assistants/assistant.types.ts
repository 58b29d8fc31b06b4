import type { JsonObject, Principal } from '../kernel';
import type { CompiledTemplate } from '../templates';
import type { PipelineTool } from '../tools';

export const ASSISTANT_TYPES = ['classic', 'multi_tool'] as const;
export type AssistantType = (typeof ASSISTANT_TYPES)[number];

export const METADATA_VERSIONS = [1, 2, 3] as const;
/** 1: one RAG processor. 2: unnumbered `tools[]` of `{type, enabled, config}`. 3: numbered tools and an orchestrator. */
export type MetadataVersion = (typeof METADATA_VERSIONS)[number];
export const NEWEST_METADATA: MetadataVersion = 3;

/** What a classic assistant runs; filled with defaults in documents of the other type. */
export interface ClassicSettings {
  readonly promptProcessor: string;
  readonly ragProcessor: string;
  readonly collections: readonly string[];
  readonly topK: number;
  readonly rubricId: string | number | null;
  readonly rubricFormat: string;
  readonly filePath: string | null;
}

/** An assistant's definition as it runs: every stored version and shape reads as this; the stored text stays as it is. */
export interface AssistantDocument {
  readonly type: AssistantType;
  /** Version of the stored metadata. */
  readonly formatVersion: MetadataVersion;
  /** `auto` when none is named. Old names of `openai` are resolved. */
  readonly connector: string;
  /** null: the organization's default model. */
  readonly llm: string | null;
  readonly capabilities: { readonly vision: boolean; readonly image_generation: boolean };
  readonly verbose: boolean;
  /** As written; `sequential` when absent. It may name a strategy that no longer exists. */
  readonly orchestrator: string;
  /** Settings of the strategy. */
  readonly orchestratorOptions: JsonObject;
  /** Tools that run before the model, disabled ones included. Empty in classic documents. */
  readonly pipeline: readonly PipelineTool[];
  /** What the model may call; each has a `type` (`weather`, `assistant`, `knowledge_base`, …). Never mixed with `pipeline`. */
  readonly functions: readonly JsonObject[];
  readonly classic: ClassicSettings;
  readonly systemPrompt: string;
  /** Prompt template; of a version 2 document with its slots renamed to the numbered placeholders of `pipeline`. */
  readonly template: string;
  /** The stored metadata, parsed and otherwise untouched. */
  readonly raw: JsonObject;
}

export const ACCESS_LEVELS = ['owner', 'edit', 'use'] as const;
export type AccessLevel = (typeof ACCESS_LEVELS)[number];

/** An assistant that a caller may run, and by what right. */
export interface RunnableAssistant {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly version: number;
  readonly organizationId: string;
  readonly ownerId: string;
  /** Content is read with the owner's rights, whoever runs the assistant. */
  readonly owner: Principal;
  readonly published: boolean;
  /** `owner` and `edit` may see configuration and verbose reports; `use` may not. */
  readonly access: AccessLevel;
  readonly document: AssistantDocument;
  /** `document.template`, compiled once per stored version. */
  readonly compiled: CompiledTemplate;
}
