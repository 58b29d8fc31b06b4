import { AppError, type Problem } from '../../kernel';

/** Codes of problems with content that no longer exists. */
const GONE: ReadonlySet<string> = new Set([
  'tool.inaccessible',
  'tool.disabled',
  'tool.unknown',
  'tool.unreadable',
  'orchestrator.unknown',
  'connector.unknown',
  'connector.not_configured',
  'connector.model_unavailable',
]);

/** The problems of a refusal, if all of them are about missing content; else none. */
export const goneIn = (error: unknown): readonly Problem[] =>
  error instanceof AppError && error.problems.length > 0 && error.problems.every(({ code = '' }) => GONE.has(code))
    ? error.problems
    : [];
