import type { FunctionCall } from '../../kernel';
import type { ModelChunk } from '../contract';
import { chunkOf, type AnswerHead } from '../shapes';

/** One chunk with one whole call, for vendors whose pieces of calls are not OpenAI's. */
export function callChunk(head: AnswerHead, index: number, call: FunctionCall): ModelChunk {
  const delta = { index, id: call.id, name: call.function.name, arguments: call.function.arguments };
  return { ...chunkOf(head, { tool_calls: [{ index, ...call }] }), calls: [delta] };
}

/** Length of what a model wrote. */
export const charsOf = (text: string, calls: readonly FunctionCall[]): number =>
  calls.reduce((sum, call) => sum + call.function.arguments.length, text.length);
