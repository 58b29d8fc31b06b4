import type { Schema } from '$lib/kit/api/client';

export type Assistant = Schema<'AssistantDto'>;
export type AssistantType = Assistant['type'];
export type Diagnostic = Schema<'DiagnosticDto'>;
export type ToolInfo = Schema<'ToolDto'>;
export type ConnectorInfo = Schema<'ConnectorDto'>;
export type OrchestratorInfo = Schema<'OrchestratorDto'>;

/** One tool of the pipeline as docs/reference/metadata.md has it; unknown keys are kept. */
export interface PipelineTool {
  readonly plugin: string;
  readonly placeholder?: string;
  readonly enabled: boolean;
  readonly config: Readonly<Record<string, unknown>>;
  readonly depends_on?: readonly string[];
  readonly example_questions?: readonly string[];
  readonly when?: unknown;
  readonly on_error?: 'continue' | 'fail' | 'fallback';
  readonly fallback?: unknown;
  readonly timeout_ms?: number;
  readonly retries?: number;
  readonly cache?: boolean;
  readonly [key: string]: unknown;
}

/** A function the model may call, as stored: a name, or an object with a type. */
export type FunctionEntry = string | (Readonly<Record<string, unknown>> & { readonly type: string });

/** The stored document, read as far as the interface edits it; every other key goes back as it came. */
export interface Metadata {
  readonly assistant_type?: string;
  readonly orchestrator?: string;
  readonly orchestrator_options?: Readonly<Record<string, unknown>>;
  readonly connector?: string;
  readonly llm?: string;
  readonly prompt_processor?: string;
  readonly rag_processor?: string;
  readonly rubric_id?: string | number | null;
  readonly rubric_format?: string;
  readonly file_path?: string;
  readonly verbose?: boolean;
  readonly capabilities?: { readonly vision?: boolean; readonly image_generation?: boolean };
  readonly suggested_questions?: readonly string[];
  readonly only_from_material?: boolean;
  readonly tools?: readonly unknown[];
  readonly functions?: readonly FunctionEntry[];
  readonly [key: string]: unknown;
}

export const metadataOf = ({ metadata }: { readonly metadata?: object | undefined }): Metadata =>
  (metadata ?? {}) as Metadata;

/** The page where people ask it. */
export const chatOf = ({ id }: Pick<Assistant, 'id'>): string => `/chat/${id}`;

/** The page that shows an assistant. */
export const pageOf = ({ id, type }: Pick<Assistant, 'id' | 'type'>): string =>
  type === 'multi_tool' ? `/multi-tool-assistants/${id}` : `/assistants/${id}`;
