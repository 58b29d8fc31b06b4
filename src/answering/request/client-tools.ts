import { invalid, type JsonObject, type Problem } from '../../kernel';
import type { ChatRequest } from './chat-request';

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

/** Clients may allow or forbid functions, but not name one. */
const OWN_CHOICES: readonly unknown[] = [undefined, null, 'auto', 'none'];

/**
 * A client's own tools are passed to the model, unless the assistant has functions: a round with calls of both would have
 * two executors. @throws `validation_failed`
 */
export function assertNoClientTools({ params }: ChatRequest): void {
  const problems: Problem[] = [];
  for (const path of ['tools', 'functions', 'function_call']) {
    if (!isGiven(params[path])) continue;
    problems.push({ path, message: 'must be left out: this assistant has functions of its own' });
  }
  if (!OWN_CHOICES.includes(params['tool_choice']))
    problems.push({ path: 'tool_choice', message: 'must be auto or none: this assistant has functions of its own' });
  const { n = 1 } = params;
  if (n !== null && n !== 1)
    problems.push({ path: 'n', message: 'must be 1: this assistant has functions of its own' });
  if (problems.length > 0) throw invalid(problems);
}

/** Vendors refuse a choice among functions where none are declared. */
export function withoutFunctionChoice(params: JsonObject): JsonObject {
  const { tools: _tools, tool_choice: _choice, parallel_tool_calls: _parallel, ...others } = params;
  return others;
}
