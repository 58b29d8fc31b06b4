import type { JsonObject, Problem } from '../../../kernel';
import type { ProcessorDefinition } from '../../../processors';

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
