import { AppError, type Problem } from '../../kernel';

/** Codes of problems that mean that something which the run used is gone. */
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

/** The problems of a refusal that has no other reason than missing content; else none. */
export const goneIn = (error: unknown): readonly Problem[] =>
  error instanceof AppError && error.problems.length > 0 && error.problems.every(({ code = '' }) => GONE.has(code))
    ? error.problems
    : [];
