import { callId } from '../../connectors';
import type { ChatMessage, FunctionCall } from '../../kernel';
import { ARGUMENTS_LIMIT, type FunctionOutcome, parsedArguments } from '../../tools';
import { keptExtras, keptMembers } from './echo-keeper';
import type { RoundAnswer } from './tool-loop.types';

const NOT_IN_NAMES = /[^A-Za-z0-9_-]/g;
const MAX_NAME = 64;

const safeName = (name: string): string => name.replace(NOT_IN_NAMES, '_').slice(0, MAX_NAME) || 'unknown';

/** Vendors refuse a whole conversation for arguments that are no JSON object; the result says what was wrong with them. */
const safeArguments = (text: string): string =>
  text.trim() === '' || text.length > ARGUMENTS_LIMIT || parsedArguments(text) === null ? '{}' : text;

/** The model's turn as it goes back to it: in a form that every vendor takes, with the members that its own vendor demands. */
export function callsMessage({ text, echoed }: RoundAnswer, calls: readonly FunctionCall[]): ChatMessage {
  const extras = keptExtras(calls);
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...keptMembers(echoed),
    tool_calls: calls.map(({ id, function: { name, arguments: args } }, at) => ({
      id,
      type: 'function',
      function: { name: safeName(name), arguments: safeArguments(args) },
      ...(extras[at] === undefined ? {} : { extra_content: extras[at] }),
    })),
  };
}

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
