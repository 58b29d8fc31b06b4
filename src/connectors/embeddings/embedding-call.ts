import { AppError, isJsonObject, type JsonObject } from '../../kernel';
import type { OutboundClient } from '../../platform/outbound';
import { DEFAULT_CALL_LIMITS, type EmbeddingContext, type ModelTarget } from '../contract';
import { badResponse, callModel, errorInAnswer, ModelTransport } from '../transport';
import { UpstreamFailure } from '../transport/upstream-failure';

/** How vendors say that a text, or a whole call, is longer than they take. */
const TOO_LONG =
  /too (?:long|large|many (?:tokens|inputs))|context.length|maximum (?:context|input|batch|sequence)|exceed|token limit/i;

interface EmbeddingCall {
  readonly path: string;
  readonly body: JsonObject;
  readonly target: ModelTarget;
  readonly context: EmbeddingContext;
}

/** One call of a vendor's embedding route, tried as often as the context allows; gives the answer's object. */
export async function callEmbeddings(outbound: OutboundClient, call: EmbeddingCall): Promise<JsonObject> {
  const { target, path, body, context } = call;
  const { timeoutMs, tries, maxWaitMs } = context;
  const limits = { ...DEFAULT_CALL_LIMITS, plainTotalMs: timeoutMs, tries, maxWaitMs };
  const transport = new ModelTransport(outbound, limits);
  return callModel(limits, context, async (deadline) => {
    try {
      const response = await transport.post({ target, path, body, stream: false, deadline });
      const payload = await transport.json(response);
      if (!isJsonObject(payload)) throw badResponse('The answer of the embedding vendor is no object');
      if ((payload['error'] ?? null) !== null) throw errorInAnswer(payload, [target.apiKey]);
      return payload;
    } catch (error) {
      throw isTooLong(error) ? new AppError('payload_too_large', 'Longer than the embedding vendor takes') : error;
    }
  });
}

function isTooLong(error: unknown): boolean {
  const failure = error instanceof UpstreamFailure ? error : null;
  if (failure?.status === 413) return true;
  const said = failure?.error ?? error;
  return said instanceof AppError && said.code === 'upstream_rejected' && TOO_LONG.test(said.detail);
}

/** Checks that the value is a list of number lists. @throws AppError `upstream_bad_response` */
export function readVectors(value: unknown): number[][] {
  if (!Array.isArray(value)) throw badResponse('The answer of the embedding vendor holds no vectors');
  return value.map((vector: unknown) => {
    if (!Array.isArray(vector) || vector.some((each) => typeof each !== 'number')) {
      throw badResponse('The answer of the embedding vendor holds something else than vectors of numbers');
    }
    return vector as number[];
  });
}
