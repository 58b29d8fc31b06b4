import type { ToolEntry } from '$lib/features/pipeline/pipeline.svelte';
import type { TemplateDocument } from '$lib/features/template/document';
import type { AssistantType, ConnectorInfo } from '$lib/app/catalogues/assistant';
import type { DefinitionBody } from './body';

/** Prompts that are put into a form at once. */
export interface Prompts {
  readonly system_prompt: string;
  readonly prompt_template: string;
}

/** Parts of a template that go into a form. */
export const PROMPT_PARTS = ['both', 'system_prompt', 'prompt_template'] as const;
export type PromptParts = (typeof PROMPT_PARTS)[number];

/** The state of a form of either type. */
export interface AssistantForm {
  readonly type: AssistantType;
  name: string;
  description: string;
  systemPrompt: string;
  connector: string;
  /** Empty: the default model. */
  llm: string;
  vision: boolean;
  imageGeneration: boolean;
  /** Without an answer in the material there is none. */
  onlyFromMaterial: boolean;
  /** First questions of the chat, one a line. */
  suggestedQuestions: string;
  readonly document: TemplateDocument;
  /** Tools of the pipeline; classic assistants have none. */
  readonly tools: readonly ToolEntry[];
  /** Replaces everything that is edited; the template's history starts anew. */
  load(body: DefinitionBody): void;
  /** Definition to save: every key that the form does not know goes back as it came. */
  body(): DefinitionBody;
  /** A definition as this form would save it unchanged: what is absent and its default are the same. */
  normalised(body: DefinitionBody): DefinitionBody;
}

/** Stands for whatever the organization has; decided when a question comes. */
export const AUTO = 'auto';
/** Old names of `openai` with functions. */
const OLD_CONNECTORS: readonly string[] = ['openai_tools', 'openai_tool_use'];

export const connectorNamed = (name: string | undefined): string =>
  name === undefined || name.trim() === '' ? AUTO : OLD_CONNECTORS.includes(name) ? 'openai' : name;

/** The connector that answers while no model is connected. */
export const QUOTES = 'quotes';

/** Connector that will answer, as far as it is known: for `auto` the first that the organization configured. */
export function answering(name: string, connectors: readonly ConnectorInfo[]): ConnectorInfo | null {
  if (name !== AUTO) return connectors.find((connector) => connector.name === name) ?? null;
  return connectors.find(({ configured, default_model }) => configured && default_model !== null) ?? null;
}
