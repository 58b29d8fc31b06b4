import type { JsonObject, Problem } from '../../../kernel';
import type { StrategyDefinition } from '../../../orchestrators';
import type { ToolVocabulary } from '../metadata/metadata.types';

/** Lookup of the installed tools and strategies for checks. */
export interface MetadataRules extends ToolVocabulary {
  /** Suggestion for a misspelt name; null without a similar one. */
  closestTool(name: string): string | null;
  allowsMultiple(tool: string): boolean;
  /** Paths are relative to the config. */
  configProblems(tool: string, config: unknown): readonly Problem[];
  /** It checks the finished answer and fills no slot. */
  looksAtAnswer(tool: string, config: JsonObject): boolean;
  /** Results that a tool needs: of the named tool, or of any tool (null). Null: it needs none. */
  needsOf(tool: string, config: JsonObject): { readonly tool: string | null } | null;
  strategies(): readonly string[];
  strategy(name: string): Pick<StrategyDefinition, 'reads' | 'shape'> | undefined;
  /** Paths are relative to the options; nothing for an unknown strategy. */
  optionProblems(strategy: string, options: unknown): readonly Problem[];
}

/** A config with references to other rooms, and its path in the request. */
export interface ConfigReference {
  readonly kind: 'pipeline' | 'function';
  readonly tool: string;
  readonly config: JsonObject;
  /** True when another check validates the schema. A config that fails its schema has no gaps. */
  readonly checked: boolean;
  /** False for a disabled tool, whose references are not judged. */
  readonly enabled: boolean;
  /** Maps a path of the config (`collections[0]`) to its path in the request. */
  readonly at: (path: string) => string;
}
