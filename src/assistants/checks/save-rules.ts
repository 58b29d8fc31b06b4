import { type Diagnostic, errorsOf } from '../../definition';
import { AppError, invalid, type Problem } from '../../kernel';

/** Well-formed, and refused all the same. */
const RULES: ReadonlySet<string> = new Set(['tool_using_assistant', 'function.duplicate']);

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

/** Warnings about tools that fail in every run. */
const NEEDED_TO_PUBLISH: ReadonlySet<string> = new Set(['tool.config_incomplete', 'tool.unreadable']);

/** Publication also asks for every required choice, and for files that can be read. */
export function assertPublishable(diagnostics: readonly Diagnostic[]): void {
  const problems = diagnostics
    .filter(({ severity, code }) => severity === 'error' || NEEDED_TO_PUBLISH.has(code))
    .map(({ path, message, code }): Problem => ({ path, message, code }));
  if (problems.length > 0) throw new AppError('conflict', 'The assistant is not complete', { problems });
}
