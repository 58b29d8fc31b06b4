import { callId } from '../connectors';
import type { ChatMessage, FunctionCall } from '../kernel';
import { ARGUMENTS_LIMIT, type FunctionOutcome, parsedArguments } from '../tools';
import type { RoundAnswer } from './tool-loop.types';

const NOT_IN_NAMES = /[^A-Za-z0-9_-]/g;
const MAX_NAME = 64;

const safeName = (name: string): string => name.replace(NOT_IN_NAMES, '_').slice(0, MAX_NAME) || 'unknown';

/** Vendors refuse a whole conversation for arguments that are no JSON object; the result says what was wrong with them. */
const safeArguments = (text: string): string =>
  text.trim() === '' || text.length > ARGUMENTS_LIMIT || parsedArguments(text) === null ? '{}' : text;

/** The model's turn as it goes back to it, in a form that every vendor takes. */
export const callsMessage = (text: string, calls: readonly FunctionCall[]): ChatMessage => ({
  role: 'assistant',
  content: text === '' ? null : text,
  tool_calls: calls.map(({ id, function: { name, arguments: args } }) => ({
    id,
    type: 'function',
    function: { name: safeName(name), arguments: safeArguments(args) },
  })),
});

export const resultMessage = ({ call, content }: FunctionOutcome): ChatMessage => ({
  role: 'tool',
  tool_call_id: call.id,
  content,
});

/** The calls with ids that no earlier round had: some vendors count from 0 in each. */
export function withOwnIds({ calls }: RoundAnswer, taken: Set<string>): readonly FunctionCall[] {
  return calls.map((call) => {
    const id = call.id === '' || taken.has(call.id) ? callId() : call.id;
    taken.add(id);
    return id === call.id ? call : { ...call, id };
  });
}
