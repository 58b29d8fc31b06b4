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
}

export const PLACEHOLDER_STATES = ['used', 'unused', 'undefined'] as const;

/** `unused`: a tool without a slot. `undefined`: a slot without an enabled tool. */
export interface PlaceholderState {
  readonly name: string;
  readonly state: (typeof PLACEHOLDER_STATES)[number];
  /** Position of its tool in `metadata.tools`; absent for `user_input`, classic `context` and undefined ones. */
  readonly tool_index?: number;
}

export const error = (code: DiagnosticCode, path: string, message: string): Diagnostic => ({
  severity: 'error',
  code,
  message,
  path,
});

export const warning = (code: DiagnosticCode, path: string, message: string, range?: TextRange): Diagnostic => ({
  severity: 'warning',
  code,
  message,
  path,
  ...(range === undefined ? {} : { range }),
});

export const info = (code: DiagnosticCode, path: string, message: string): Diagnostic => ({
  severity: 'info',
  code,
  message,
  path,
});
