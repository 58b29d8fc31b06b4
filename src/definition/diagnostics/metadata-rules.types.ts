import type { JsonObject, Problem } from '../../kernel';
import type { StrategyDefinition } from '../../orchestrators';
import type { ToolVocabulary } from '../metadata/metadata.types';

/** What checking metadata needs to know of the installed tools and strategies, beyond reading it. */
export interface MetadataRules extends ToolVocabulary {
  /** For "did you mean": null when nothing is near. */
  closestTool(name: string): string | null;
  allowsMultiple(tool: string): boolean;
  /** Paths are relative to the config. */
  configProblems(tool: string, config: unknown): readonly Problem[];
  /** It reports on the finished answer and fills no slot. */
  looksAtAnswer(tool: string, config: JsonObject): boolean;
  /** Earlier results without which a tool has nothing to do: of the named tool, or of any (null). Null: it needs none. */
  needsOf(tool: string, config: JsonObject): { readonly tool: string | null } | null;
  /** Names of the installed strategies. */
  strategies(): readonly string[];
  /** Undefined when there is no such strategy. */
  strategy(name: string): Pick<StrategyDefinition, 'reads' | 'shape'> | undefined;
  /** Paths are relative to the options; nothing for an unknown strategy. */
  optionProblems(strategy: string, options: unknown): readonly Problem[];
}

/** The config of a tool or function and where it stands in the request, for checks that read other rooms. */
export interface ConfigReference {
  readonly kind: 'pipeline' | 'function';
  readonly tool: string;
  readonly config: JsonObject;
  /** True when the config's schema is checked elsewhere. A config that fails its schema is not asked for gaps. */
  readonly checked: boolean;
  /** Where each path of the config (`collections[0]`) stands in the request. */
  readonly at: (path: string) => string;
}
