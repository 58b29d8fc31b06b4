import { isJsonObject, type FunctionCall, type JsonObject } from '@bellwether/kernel';
import type { VendorCallPiece } from './call-repair';
import { callId, MAX_CALLS, MAX_NAME } from '../../vendor';
import { badResponse } from '../../transport';

/** The objects among the entries of `tool_calls`. @throws AppError `upstream_bad_response` for more than any model calls */
export const entriesOf = (toolCalls: unknown): readonly JsonObject[] => {
  if (!Array.isArray(toolCalls)) return [];
  if (toolCalls.length > MAX_CALLS) throw badResponse('The model vendor sent too many function calls');
  return toolCalls.filter(isJsonObject);
};

const textIn = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value.slice(0, MAX_NAME) : null;

/** Some vendors send the arguments as an object, or null for none. */
function argumentsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}

const functionOf = ({ function: called }: JsonObject): JsonObject => (isJsonObject(called) ? called : {});

/** A piece of a function call as it came; null for OpenAI's custom tools, which only clients declare. */
export function pieceOf(entry: JsonObject): VendorCallPiece | null {
  if (isJsonObject(entry['custom'])) return null;
  const called = functionOf(entry);
  const { index, extra_content: extra } = entry;
  return {
    ...(isJsonObject(extra) ? { extraContent: extra } : {}),
    index: Number.isSafeInteger(index) && (index as number) >= 0 ? (index as number) : null,
    id: textIn(entry['id']),
    name: textIn(called['name']),
    arguments: argumentsOf(called['arguments']),
  };
}

/**
 * `tool_calls` of a whole message in OpenAI's strict shape, with extra members. A call without an id gets one, because its
 * result is matched by id. @throws as above
 */
export const strictCalls = (toolCalls: unknown): readonly JsonObject[] =>
  entriesOf(toolCalls).map((entry) => {
    const id = textIn(entry['id']) ?? callId();
    const called = entry['function'];
    // OpenAI's custom tools have `custom` instead. Only clients declare them, so they pass unchanged.
    if (!isJsonObject(called)) return { ...entry, id };
    const { name, arguments: given } = called;
    const strict = { ...called, name: textIn(name) ?? '', arguments: argumentsOf(given) };
    return { ...entry, id, type: 'function', function: strict };
  });

/** The function calls among strict ones. */
export const functionCallsOf = (calls: readonly JsonObject[]): readonly FunctionCall[] =>
  calls.flatMap((call) => {
    if (call['type'] !== 'function') return [];
    const { id, function: called, extra_content: extra } = call as unknown as FunctionCall;
    const plain = { id, type: 'function', function: { name: called.name, arguments: called.arguments } } as const;
    return [isJsonObject(extra) ? { ...plain, extra_content: extra } : plain];
  });
