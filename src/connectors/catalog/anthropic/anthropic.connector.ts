import { isJsonObject, type JsonObject } from '@bellwether/kernel';
import type { ConnectorDefinition, ConnectorPlugin, ModelsWire, ModelTarget } from '../../contract';
import { errorInAnswer, UpstreamFailure } from '../../transport';
import { vendorPlugin, type VendorCall } from '../../vendor';
import { AnthropicAnswer, type KeptTurn } from './anthropic-answer';
import { anthropicRequest } from './anthropic-request';

const VERSION = '2023-06-01';

/** Transient failures. */
const PASSING = /overloaded_error|rate_limit_error|api_error|timeout_error/;

const DEFINITION: ConnectorDefinition = {
  name: 'anthropic',
  aliases: ['claude'],
  display_name: 'Anthropic',
  description: 'Claude models of Anthropic.',
  texts: {
    es: { description: 'Modelos Claude de Anthropic.' },
    ca: { description: 'Models Claude d’Anthropic.' },
    eu: { description: 'Anthropic-en Claude ereduak.' },
  },
  icon: 'sparkles',
  capabilities: { streaming: true, vision: true, functions: true, image_generation: false },
  vendor: {
    name: 'anthropic',
    needsKey: true,
    baseUrl: 'https://api.anthropic.com',
    environment: { apiKey: 'ANTHROPIC_API_KEY', baseUrl: 'ANTHROPIC_BASE_URL' },
  },
  models: [],
  defaultModel: 'claude-haiku-4-5',
};

/** The vendor's base URL has no version in it; those of gateways often do. */
const pathAt = (baseUrl: string, path: string): string => (/\/v1\/?$/.test(baseUrl) ? path : `/v1${path}`);

const headersFor = ({ apiKey }: ModelTarget): Record<string, string> => ({
  'anthropic-version': VERSION,
  ...(apiKey === null ? {} : { 'x-api-key': apiKey }),
});

function encode({ request, target, stream, images, recall }: VendorCall<KeptTurn>) {
  const body = anthropicRequest(request, stream, images, recall) as unknown as JsonObject;
  return { path: pathAt(target.baseUrl, '/messages'), headers: headersFor(target), body };
}

function failure(event: JsonObject, secrets: readonly (string | null)[]): UpstreamFailure | null {
  if (event['type'] !== 'error') return null;
  const type = isJsonObject(event['error']) ? event['error']['type'] : null;
  return new UpstreamFailure(errorInAnswer(event, secrets).error, typeof type === 'string' && PASSING.test(type));
}

/** API reference, "List Models". One page holds 1,000. */
const MODELS: ModelsWire = {
  request: (target) => ({ path: pathAt(target.baseUrl, '/models?limit=1000'), headers: headersFor(target) }),
  read: (payload) => {
    if (!isJsonObject(payload) || !Array.isArray(payload['data'])) return null;
    return payload['data']
      .filter(isJsonObject)
      .flatMap(({ id, display_name: name }) =>
        typeof id === 'string' ? { id, name: typeof name === 'string' ? name : null } : [],
      );
  },
};

/** The Messages API of Anthropic, and of gateways that speak it. */
export const ANTHROPIC: ConnectorPlugin = {
  ...vendorPlugin(DEFINITION, {
    framing: 'sse',
    imageMessages: ({ messages }) => messages,
    encode,
    decoder: (maxAnswerChars) => new AnthropicAnswer(maxAnswerChars),
    failure,
  }),
  models: MODELS,
};
