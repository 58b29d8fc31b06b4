import { AppError, isJsonObject } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import type { Vendor } from '../infrastructure/config';
import { OutboundClient } from '../infrastructure/outbound';
import {
  type ConnectorPlugin,
  CONNECTORS_IN_USE,
  DEFAULT_CALL_LIMITS,
  EMBEDDING_PROVIDERS,
  type EmbeddingProvider,
  type ListedModel,
  type ModelsWire,
  type ModelTarget,
} from './contract';
import {
  badResponse,
  CallDeadline,
  errorInAnswer,
  failureOfTransport,
  finalError,
  inConnector,
  ModelTransport,
} from './transport';

/** Milliseconds: somebody waits in front of the page. */
const TIMEOUT_MS = 10_000;
const MAX_LIST_BYTES = 2 * 1024 * 1024;
const MAX_MODELS = 2_000;
/** Characters of a model's name that settings take. */
const MAX_NAME = 200;
const SAMPLE = 'Bellwether';

/** Asks a vendor once whether address and key are right. Rejects with `AppError` only, as connectors do. */
@Injectable()
export class ProviderProbes {
  private readonly transport: ModelTransport;

  constructor(
    outbound: OutboundClient,
    @Inject(EMBEDDING_PROVIDERS) private readonly embeddings: readonly EmbeddingProvider[],
    @Inject(CONNECTORS_IN_USE) private readonly plugins: readonly ConnectorPlugin[],
  ) {
    this.transport = new ModelTransport(outbound, { ...DEFAULT_CALL_LIMITS, plainTotalMs: TIMEOUT_MS });
  }

  /** Models that the vendor offers to this key, by name. */
  async models(vendorName: string, target: ModelTarget, signal: AbortSignal): Promise<readonly ListedModel[]> {
    const { vendor, wire } = listingOf(vendorName, this.plugins);
    assertKey(vendor, target);
    const deadline = new CallDeadline(signal, TIMEOUT_MS);
    const running = { connector: vendorName, runId: null };
    try {
      const asked = inConnector({ ...running, step: 'ask' }, () => wire.request(target));
      const payload = await this.transport.json(
        await this.transport.get({ target, deadline, ...asked }),
        MAX_LIST_BYTES,
      );
      if (isJsonObject(payload) && (payload['error'] ?? null) !== null) throw errorInAnswer(payload, [target.apiKey]);
      return modelsIn(inConnector({ ...running, step: 'read' }, () => wire.read(payload)));
    } catch (error) {
      throw finalError(failureOfTransport(error, deadline), 1);
    } finally {
      deadline.dispose();
    }
  }

  /** Dimensions of the vectors that the model makes. */
  async dimensions(vendorName: string, model: string, target: ModelTarget, signal: AbortSignal): Promise<number> {
    const source = this.embeddings.find(({ definition }) => definition.vendor?.name === vendorName);
    if (!source?.definition.vendor) throw new AppError('bad_request', 'This vendor embeds no texts');
    assertKey(source.definition.vendor, target);
    const request = { model, texts: [SAMPLE], purpose: 'query', dimensions: null } as const;
    const context = { signal, timeoutMs: TIMEOUT_MS, tries: 1, maxWaitMs: 0 };
    const [vector] = await source.embed(request, target, context);
    if (vector === undefined || vector.length === 0) throw badResponse('The embedding model gave no vector');
    return vector.length;
  }
}

function listingOf(vendorName: string, plugins: readonly ConnectorPlugin[]): { vendor: Vendor; wire: ModelsWire } {
  for (const { definition, models } of plugins) {
    if (definition.vendor?.name === vendorName && models !== undefined)
      return { vendor: definition.vendor, wire: models };
  }
  throw new AppError('bad_request', 'This vendor lists no models');
}

/** The same rule as for assistants: a vendor that needs a key may be asked without one only at the operator's address. */
function assertKey({ needsKey }: Vendor, { apiKey, trusted }: ModelTarget): void {
  if (needsKey && !trusted && apiKey === null)
    throw new AppError('connector_not_configured', 'This vendor requires a key');
}

function modelsIn(models: readonly ListedModel[] | null): ListedModel[] {
  if (models === null) throw badResponse('The answer of the model vendor is no list of models');
  const byId = new Map(models.filter(({ id }) => id !== '' && id.length <= MAX_NAME).map((model) => [model.id, model]));
  return [...byId.values()].sort((one, other) => one.id.localeCompare(other.id, 'en')).slice(0, MAX_MODELS);
}
