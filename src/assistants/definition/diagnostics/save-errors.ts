import type { Problem } from '../../../kernel';
import type { Diagnostic, DiagnosticCode } from './diagnostic.types';

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
