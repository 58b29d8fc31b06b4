import { isJsonObject, type JsonObject } from '@bellwether/kernel';
import { errorInAnswer, UpstreamFailure } from '../../transport';

/** Google's status codes (google.rpc.Code) as the OpenAI codes that the error mapping knows. */
const TYPES: ReadonlyMap<unknown, string> = new Map([
  ['RESOURCE_EXHAUSTED', 'rate_limit_exceeded'],
  ['UNAUTHENTICATED', 'authentication_error'],
  ['PERMISSION_DENIED', 'permission_error'],
  ['INVALID_ARGUMENT', 'invalid_request_error'],
  ['FAILED_PRECONDITION', 'invalid_request_error'],
  ['NOT_FOUND', 'invalid_request_error'],
]);
const PASSING: ReadonlySet<unknown> = new Set(['UNAVAILABLE', 'INTERNAL', 'DEADLINE_EXCEEDED', 'RESOURCE_EXHAUSTED']);

/** `{error: {code, message, status}}` inside an answer with status 200. */
export function geminiFailure(payload: JsonObject, secrets: readonly (string | null)[]): UpstreamFailure | null {
  if ((payload['error'] ?? null) === null) return null;
  const error = isJsonObject(payload['error']) ? payload['error'] : {};
  const known = { error: { message: error['message'], type: TYPES.get(error['status']) ?? 'server_error' } };
  return new UpstreamFailure(errorInAnswer(known, secrets).error, PASSING.has(error['status']));
}
