import { AppError, invalid, type Problem } from '../kernel';
import type { Features } from '../organizations';
import type { AssistantDocument } from './assistant.types';
import type { Diagnostic } from './diagnostics/diagnostic.types';

/** Well-formed, and refused all the same. */
const RULES: ReadonlySet<string> = new Set(['tool_using_assistant', 'function.duplicate']);

/** What refuses a save. */
export const errorsOf = (diagnostics: readonly Diagnostic[]): Problem[] =>
  diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ path, message, code }): Problem => ({ path, message, code }));

/**
 * Refuses a definition with errors, naming all of them. When every error is a reference that the owner may not read, the
 * answer is that of a missing object, so that nobody learns what exists elsewhere; when every error is a target that is
 * switched off, it is a conflict: the same definition passes once it is on again.
 */
export function assertSavable(diagnostics: readonly Diagnostic[]): void {
  const problems = errorsOf(diagnostics);
  if (problems.length === 0) return;
  if (problems.every(({ code }) => code === 'tool.inaccessible'))
    throw new AppError('not_found', 'The assistant refers to something that does not exist', { problems });
  if (problems.every(({ code }) => code !== undefined && RULES.has(code)))
    throw new AppError('definition_refused', 'The assistant breaks a rule of assistants that call functions', {
      problems,
    });
  if (problems.every(({ code }) => code === 'tool.disabled'))
    throw new AppError('conflict', 'The assistant calls one that is switched off', { problems });
  throw invalid(problems, 'The assistant is not valid');
}

const switchedOff = (detail: string): AppError => new AppError('feature_disabled', detail);

/** What an organization has switched off cannot be created; classic assistants without functions always can. */
export function assertFeatures(document: AssistantDocument, features: Features): void {
  if (document.type === 'multi_tool' && !features.multi_tool)
    throw switchedOff('Multi-tool assistants are switched off in this organization');
  if (document.functions.length > 0 && !features.functions)
    throw switchedOff('Functions are switched off in this organization');
  if (document.type === 'multi_tool' && document.orchestrator === 'planned' && !features.planned)
    throw switchedOff('The strategy `planned` is switched off in this organization');
}

/** Publication also asks for every required choice. */
export function assertPublishable(
  document: AssistantDocument,
  diagnostics: readonly Diagnostic[],
  features: Features,
): void {
  if (!features.publishing) throw switchedOff('Publishing is switched off in this organization');
  assertFeatures(document, features);
  const problems = diagnostics
    .filter(({ severity, code }) => severity === 'error' || code === 'tool.config_incomplete')
    .map(({ path, message, code }): Problem => ({ path, message, code }));
  if (problems.length > 0) throw new AppError('conflict', 'The assistant is not complete', { problems });
}
