import type { JsonObject, Problem } from '@bellwether/kernel';
import type { StrategyDefinition } from '../../../orchestrators';
import type { ToolVocabulary } from '../metadata/document.types';

/** Lookup of the installed tools and strategies for checks. */
export interface MetadataRules extends ToolVocabulary {
  /** Suggestion for a misspelt name; null without a similar one. */
  closestTool(name: string): string | null;
  allowsMultiple(tool: string): boolean;
  /** Paths are relative to the config. */
  configProblems(tool: string, config: unknown): readonly Problem[];
  /** True for a tool that checks the finished answer and fills no slot. */
  looksAtAnswer(tool: string, config: JsonObject): boolean;
  /** Results that a tool needs: of the named tool, or of any tool (null). Null: it needs none. */
  needsOf(tool: string, config: JsonObject): { readonly tool: string | null } | null;
  strategies(): readonly string[];
  strategy(name: string): Pick<StrategyDefinition, 'reads' | 'shape'> | undefined;
  /** Paths are relative to the options; nothing for an unknown strategy. */
  optionProblems(strategy: string, options: unknown): readonly Problem[];
}

/** A config with references to other modules, and its path in the request. */
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

/**
 * A save accepts these errors, so that definitions from LAMB stay editable, and those whose material was deleted,
 * unshared or paused. Publication does not.
 */
const SAVED_WITH_ERROR: ReadonlySet<DiagnosticCode> = new Set([
  'processor.unknown',
  'tool.unknown_key',
  'tool.inaccessible',
  'tool.disabled',
]);

/** Problems that refuse a save. */
export const errorsOf = (diagnostics: readonly Diagnostic[]): Problem[] =>
  diagnostics
    .filter(({ severity, code }) => severity === 'error' && !SAVED_WITH_ERROR.has(code))
    .map(({ path, message, code, values }): Problem => ({ path, message, code, ...(values && { values }) }));

export const SEVERITIES = ['error', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const DIAGNOSTIC_CODES = [
  'metadata.invalid',
  'metadata.version_unknown',
  'orchestrator.unknown',
  'orchestrator.options_invalid',
  'setting.ignored',
  'setting.unsupported',
  'processor.unknown',
  'rewrite.no_fast_model',
  'tool.unknown',
  'tool.invalid',
  'tool.unknown_key',
  'tool.no_input',
  'tool.config_invalid',
  'tool.config_incomplete',
  'tool.degraded',
  'tool.unreadable',
  'tool.inaccessible',
  'tool.disabled',
  'collection.unlisted',
  'tool_using_assistant',
  'function.duplicate',
  'placeholder.invalid',
  'placeholder.duplicate',
  'placeholder.unused',
  'placeholder.undefined',
  'template.no_user_input',
  'dependency.unknown',
  'dependency.cycle',
  'condition.invalid',
  'condition.unseen',
  'connector.unknown',
  'connector.not_configured',
  'connector.model_unavailable',
] as const;
export type DiagnosticCode = (typeof DIAGNOSTIC_CODES)[number];

/** Half-open range of UTF-16 code units in the text that `path` names. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/**
 * One finding about a definition. An `error` refuses the save unless `SAVED_WITH_ERROR` lists its code; warnings and
 * infos are only shown.
 */
export interface Diagnostic {
  readonly severity: Severity;
  readonly code: DiagnosticCode;
  readonly message: string;
  /** JSON path in the request, e.g. `metadata.tools[1].config.top_k`. */
  readonly path: string;
  readonly range?: TextRange;
  /** Names and limits in `message`; `reason` is the code of a more exact text, `value.max_length`. */
  readonly values?: DiagnosticValues;
}

export type DiagnosticValues = Readonly<Record<string, string | number>>;

export const PLACEHOLDER_STATES = ['used', 'unused', 'undefined'] as const;

/** `unused`: a tool without a slot. `undefined`: a slot without an enabled tool. */
export interface PlaceholderState {
  readonly name: string;
  readonly state: (typeof PLACEHOLDER_STATES)[number];
  /** Position of its tool in `metadata.tools`; absent for `user_input`, classic `context` and undefined ones. */
  readonly tool_index?: number;
}

const diagnostic =
  (severity: Severity) =>
  (code: DiagnosticCode, path: string, message: string, values?: DiagnosticValues): Diagnostic => ({
    severity,
    code,
    message,
    path,
    ...(values === undefined ? {} : { values }),
  });

export const error = diagnostic('error');
export const warning = diagnostic('warning');
export const info = diagnostic('info');

/** The values of a diagnostic about a problem of a schema, whose code becomes the reason. */
export const reasonOf = ({ code, values }: Pick<Problem, 'code' | 'values'>): DiagnosticValues | undefined =>
  code === undefined ? undefined : { ...values, reason: code };

/** A name that does not exist, and the existing name that it resembles. */
export const misspelt = (name: string, closest: string | null): DiagnosticValues =>
  closest === null ? { reason: 'name.unknown', name } : { reason: 'name.misspelt', name, closest };
