import { AppError, isJsonObject, type JsonObject } from '@bellwether/kernel';
import type { OutboundClient } from '../infrastructure/outbound';
import {
  type ConnectorPlugin,
  DEFAULT_CALL_LIMITS,
  type EmbeddingContext,
  type EmbeddingProvider,
  type EmbeddingRequest,
  type ModelTarget,
  type VendorAccess,
} from './contract';
import { badResponse, callModel, connectorFault, errorInAnswer, ModelTransport } from './transport';
import type { CallDeadline } from './transport/call-deadline';
import { UpstreamFailure } from './transport/upstream-failure';

/** Vendors' messages for a text, or a call, that is too long. */
const TOO_LONG =
  /too (?:long|large|many (?:tokens|inputs))|context.length|maximum (?:context|input|batch|sequence)|exceed|token limit/i;

/** The source of embeddings that a connector declares; null for a connector without one. */
export function embeddingsOf(plugin: ConnectorPlugin, outbound: OutboundClient): EmbeddingProvider | null {
  const { definition, embeddings: wire } = plugin;
  const { name, vendor, embeddings: ability } = definition;
  if (ability === undefined || vendor === null || wire === undefined) return null;

  async function embed(request: EmbeddingRequest, target: ModelTarget, context: EmbeddingContext): Promise<number[][]> {
    const { timeoutMs, tries, maxWaitMs } = context;
    const limits = { ...DEFAULT_CALL_LIMITS, plainTotalMs: timeoutMs, tries, maxWaitMs };
    const transport = new ModelTransport(outbound, limits);
    return callModel(limits, context, async (deadline) => {
      const access = new OneTry(transport, target, deadline);
      try {
        return readVectors(await wire?.(request, access));
      } catch (error) {
        const cause = access.failure ?? connectorFault(error, { connector: name, runId: null, step: 'read' });
        if (isTooLong(cause)) throw new AppError('payload_too_large', 'Longer than the embedding vendor takes');
        throw cause;
      }
    });
  }
  return { definition: { ...ability, name, vendor }, embed };
}

class OneTry implements VendorAccess {
  /** The error of the call, kept because an SDK wraps it in its own. */
  failure: Error | null = null;

  constructor(
    private readonly transport: ModelTransport,
    private readonly target: ModelTarget,
    private readonly deadline: CallDeadline,
  ) {}

  readonly post = async (path: string, body: JsonObject): Promise<JsonObject> => {
    try {
      return await this.send(path, body);
    } catch (error) {
      this.failure = error as Error;
      throw error;
    }
  };

  readonly fetch: typeof fetch = async (url, init) => {
    const { pathname } = new URL(url instanceof Request ? url.url : url);
    const body = typeof init?.body === 'string' ? (JSON.parse(init.body) as JsonObject) : {};
    const payload = await this.post(pathname, body);
    const response = new Response('{}', { headers: { 'content-type': 'application/json' } });
    // Parsed once: an answer holds tens of thousands of numbers.
    return Object.assign(response, { json: () => Promise.resolve(payload) });
  };

  private async send(path: string, body: JsonObject): Promise<JsonObject> {
    const { target, deadline, transport } = this;
    const payload = await transport.json(await transport.post({ target, path, body, stream: false, deadline }));
    if (!isJsonObject(payload)) throw badResponse('The answer of the embedding vendor is no object');
    if ((payload['error'] ?? null) !== null) throw errorInAnswer(payload, [target.apiKey]);
    return payload;
  }
}

function isTooLong(error: unknown): boolean {
  const failure = error instanceof UpstreamFailure ? error : null;
  if (failure?.status === 413) return true;
  const said = failure?.error ?? error;
  return said instanceof AppError && said.code === 'upstream_rejected' && TOO_LONG.test(said.detail);
}

/** @throws AppError `upstream_bad_response` for anything but a list of number lists */
function readVectors(value: unknown): number[][] {
  if (!Array.isArray(value)) throw badResponse('The answer of the embedding vendor holds no vectors');
  return value.map((vector: unknown) => {
    if (!Array.isArray(vector) || vector.some((each) => typeof each !== 'number')) {
      throw badResponse('The answer of the embedding vendor holds something else than vectors of numbers');
    }
    return vector as number[];
  });
}
