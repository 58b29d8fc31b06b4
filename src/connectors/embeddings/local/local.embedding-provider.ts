import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AppError } from '../../../kernel';
import type {
  EmbeddingContext,
  EmbeddingProvider,
  EmbeddingProviderDefinition,
  EmbeddingRequest,
  ModelTarget,
} from '../../contract';
import { LocalThread } from './local-thread';
import { WORKER_FILE } from './local-worker-file';

const IDLE_MS = 5 * 60_000;
const MODEL = 'universal-sentence-encoder-lite-en';

/** A small English model on this machine, without a network: for trying vectors out rather than for the best ranking. */
@Injectable()
export class LocalEmbeddingProvider implements EmbeddingProvider, OnApplicationShutdown {
  readonly definition: EmbeddingProviderDefinition = {
    name: 'local',
    display_name: 'On this machine',
    description:
      'A small English model (512 dimensions) that the operator installs beside the service; needs no network.',
    provider: null,
    needsKey: false,
    models: [MODEL],
    maxTexts: 8,
    maxChars: 10_000,
    readChars: 600,
    parallel: 1,
  };
  private readonly thread = new LocalThread(WORKER_FILE, IDLE_MS);

  async embed({ texts }: EmbeddingRequest, _target: ModelTarget, context: EmbeddingContext): Promise<number[][]> {
    const timeout = AbortSignal.timeout(context.timeoutMs);
    try {
      return await this.thread.embed(texts, AbortSignal.any([context.signal, timeout]));
    } catch (error) {
      if (context.signal.aborted) throw new AppError('cancelled', 'The request was cancelled');
      if (timeout.aborted) throw new AppError('upstream_timeout', 'The embedding model on this machine took too long');
      throw error;
    }
  }

  onApplicationShutdown(): Promise<void> {
    return this.thread.close();
  }
}
