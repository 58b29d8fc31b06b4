import { type AssistantType, type Diagnostic, errorsOf } from '../definition';
import { AppError, invalid, type Problem } from '../../kernel';

/** Codes of rules that a well-formed definition can break. */
export const RULES: ReadonlySet<string> = new Set(['tool_using_assistant', 'function.duplicate']);

/** Refuses a definition with errors and lists all of them. The status depends on the codes. */
export function assertSavable(diagnostics: readonly Diagnostic[]): void {
  const problems = errorsOf(diagnostics);
  if (problems.length === 0) return;
  if (problems.every(({ code }) => code !== undefined && RULES.has(code)))
    throw new AppError('definition_refused', 'The assistant breaks a rule of assistants that call functions', {
      problems,
    });
  throw invalid(problems, 'The assistant is not valid');
}

/** Warnings about tools that would fail in every run, or whose content would never reach the model. */
const NEEDED_TO_PUBLISH: ReadonlySet<string> = new Set([
  'tool.config_incomplete',
  'tool.unreadable',
  'placeholder.unused',
]);

/**
 * Publication also needs every required choice, readable files, and a slot for each tool with content. Templates of
 * classic assistants are LAMB's: an unused `{context}` is only a warning there.
 */
export function assertPublishable(diagnostics: readonly Diagnostic[], type: AssistantType): void {
  const problems = diagnostics
    .filter(({ severity, code }) => severity === 'error' || NEEDED_TO_PUBLISH.has(code))
    .filter(({ code }) => type === 'multi_tool' || code !== 'placeholder.unused')
    .map(({ path, message, code }): Problem => ({ path, message, code }));
  if (problems.length > 0)
    throw new AppError('conflict', 'The assistant is not complete', { problems, reason: 'assistant.incomplete' });
}
