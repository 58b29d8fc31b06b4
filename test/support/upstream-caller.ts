import { AppError, uuidv7, type RunEvent } from '@bellwether/kernel';
import type { Connector, ModelAnswer, ModelChunk, ModelRequest, ModelTarget } from '../../src/connectors';
import { DEFAULT_CALL_LIMITS, type ModelCallLimits } from '../../src/connectors';
import { iterated } from '../../src/connectors/testing/iterated';
import type { Config } from '../../src/infrastructure/config';
import { OutboundClient } from '../../src/infrastructure/outbound';

/** Limits under which every fault shows within a second; a whole answer may take its time. */
export const QUICK_LIMITS: ModelCallLimits = {
  ...DEFAULT_CALL_LIMITS,
  firstByteMs: 300,
  idleMs: 300,
  streamTotalMs: 20_000,
  plainTotalMs: 1_500,
  backoffMs: 10,
};

export const SECRET = 'sk-CANARY-of-this-call';

export const outboundFor = (allow: readonly string[] = []): OutboundClient =>
  new OutboundClient({ outbound: { allow } } as unknown as Config);

export const targetAt = (baseUrl: string, overrides: Partial<ModelTarget> = {}): ModelTarget => ({
  baseUrl,
  apiKey: SECRET,
  trusted: true,
  ...overrides,
});

export const askFor = (overrides: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'scripted',
  messages: [{ role: 'user', content: 'Why?' }],
  params: {},
  ...overrides,
});

export interface StreamOutcome {
  readonly chunks: readonly ModelChunk[];
  readonly batches: number;
  readonly text: string;
  readonly finishReason: string | null;
  readonly error: AppError | null;
}

/** Drives a connector as the doors do, and keeps what arrived before a failure. */
export class ConnectorCaller {
  readonly events: RunEvent[] = [];

  constructor(private readonly connector: Connector) {}

  private context(signal: AbortSignal = new AbortController().signal) {
    return { signal, runId: uuidv7(), emit: (event: RunEvent) => void this.events.push(event) };
  }

  async complete(target: ModelTarget, request = askFor(), signal?: AbortSignal): Promise<ModelAnswer> {
    return this.connector.complete(request, target, this.context(signal));
  }

  async failure(target: ModelTarget, request = askFor(), signal?: AbortSignal): Promise<AppError> {
    const answer = await this.complete(target, request, signal).catch((error: unknown) => error);
    if (answer instanceof AppError) return answer;
    throw new Error(`Expected an AppError, got ${JSON.stringify(answer)}`);
  }

  async stream(target: ModelTarget, request = askFor(), signal?: AbortSignal): Promise<StreamOutcome> {
    const chunks: ModelChunk[] = [];
    let batches = 0;
    let error: AppError | null = null;
    try {
      await this.connector.stream(request, target, this.context(signal), (batch) => {
        batches += 1;
        chunks.push(...batch);
        return undefined;
      });
    } catch (thrown) {
      if (!(thrown instanceof AppError)) throw thrown;
      error = thrown;
    }
    const finishReason = chunks.find((chunk) => chunk.finishReason !== null)?.finishReason ?? null;
    return { chunks, batches, text: chunks.map(({ text }) => text).join(''), finishReason, error };
  }

  open(target: ModelTarget, request = askFor(), signal?: AbortSignal): AsyncIterable<readonly ModelChunk[]> {
    return iterated((take) => this.connector.stream(request, target, this.context(signal), take));
  }
}
