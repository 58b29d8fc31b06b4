import { AppError } from '@bellwether/kernel';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { EmbeddingsService } from '../../connectors';
import { CONFIG, type Config } from '../../infrastructure/config';
import type { ToolFacts } from './tool-profile';

const MAX_VECTORS = 2_000;
const TEXT_CHARS = 600;

/** Similarity of a question to each tool, by the embedding model of `TOOL_PLANNER_EMBEDDING`. */
@Injectable()
export class ToolSimilarities {
  private readonly logger = new Logger('ToolSimilarities');
  /** Vectors of the tools' texts. Vectors of questions are not cached. */
  private readonly vectors = new LRUCache<string, readonly number[]>({ max: MAX_VECTORS });

  constructor(
    @Inject(EmbeddingsService) private readonly embeddings: Pick<EmbeddingsService, 'embed'>,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Cosines in the order of the tools; undefined without a model, after a failure, and after the planner's time
   * limit.
   */
  async of(
    organizationId: string,
    query: string,
    tools: readonly ToolFacts[],
    signal: AbortSignal,
  ): Promise<readonly number[] | undefined> {
    const { embedding, timeoutMs } = this.config.planner;
    if (embedding === null || tools.length < 2) return undefined;
    const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const texts = tools.map(({ text }) => `${text.name}: ${text.description}`.slice(0, TEXT_CHARS));
    const keyOf = (text: string): string => `${organizationId} ${text}`;
    try {
      const missing = [...new Set(texts)].filter((text) => !this.vectors.has(keyOf(text)));
      const job = { ...embedding, purpose: 'query' as const, dimensions: null, signal: until };
      const [asked, ...made] = await this.embeddings.embed(organizationId, {
        ...job,
        texts: [query.slice(0, TEXT_CHARS), ...missing],
      });
      const fresh = new Map(missing.map((text, at) => [text, made[at] ?? []]));
      for (const [text, vector] of fresh) this.vectors.set(keyOf(text), vector);
      return texts.map((text) => cosine(asked ?? [], fresh.get(text) ?? this.vectors.get(keyOf(text)) ?? []));
    } catch (error) {
      this.logger.warn(
        `tools were chosen by words alone (${error instanceof AppError ? error.code : 'internal_error'})`,
      );
      return undefined;
    }
  }
}

/** Cosine of two vectors of length 1. */
const cosine = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
