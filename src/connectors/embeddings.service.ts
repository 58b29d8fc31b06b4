import { AppError, Semaphore } from '@bellwether/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { currentSpan, inSpan } from '../infrastructure/context';
import { beforeVendorCall } from '../infrastructure/outbound';
import { Metering, type RunMeter } from '../metering';
import { OrganizationsService } from '../organizations';
import {
  EMBEDDING_PROVIDERS,
  type EmbeddingContext,
  type EmbeddingProvider,
  type EmbeddingProviderDefinition,
  type EmbeddingPurpose,
  type ModelTarget,
} from './contract';
import { beginModelSpan, endModelSpan } from './metered-connector';

interface ModelFamily {
  readonly name: RegExp;
  /** Prefix of each kind of text, from the model card. */
  readonly query: string;
  readonly passage: string;
  /** Trained on English texts; vectors of other languages are close to random. */
  readonly english?: true;
}

/**
 * Model families with good published retrieval results (MTEB, model cards), and their prefixes. An index records the
 * prefix of its passages: changing one here requires re-embedding.
 */
const FAMILIES: readonly ModelFamily[] = [
  { name: /nomic-embed-text/, query: 'search_query: ', passage: 'search_document: ', english: true },
  { name: /(?:^|[/-])e5-(?:small|base|large)/, query: 'query: ', passage: 'passage: ', english: true },
  {
    name: /mxbai-embed-large|snowflake-arctic-embed(?!2|-[ml]-v2)|bge-(?:small|base|large)-en/,
    query: 'Represent this sentence for searching relevant passages: ',
    passage: '',
    english: true,
  },
  { name: /embeddinggemma/, query: 'task: search result | query: ', passage: 'title: none | text: ' },
  {
    name: /qwen3-embedding/,
    query: 'Instruct: Given a question, retrieve passages that answer it\nQuery: ',
    passage: '',
  },
  { name: /snowflake-arctic-embed(?:2|-[ml]-v2)/, query: 'query: ', passage: '' },
  { name: /text-embedding-3-(?:small|large)|text-embedding-ada-002/, query: '', passage: '' },
  { name: /gte-large|jina-embeddings-v2-(?:small|base)-en/, query: '', passage: '', english: true },
  { name: /bge-m3|mistral-embed|gte-multilingual|jina-embeddings-v[23]/, query: '', passage: '' },
  // They rank worse than words alone, but with weight 0.5 no English collection ranked worse (bench:retrieval -- fusion).
  {
    name: /universal-sentence-encoder-lite|all-minilm|all-mpnet|multi-qa-mpnet/,
    query: '',
    passage: '',
    english: true,
  },
];

const familyOf = (model: string): ModelFamily | undefined =>
  FAMILIES.find(({ name }) => name.test(model.toLowerCase()));

/** The prefix that tells the model the purpose of a text. */
export const instructionFor = (model: string, purpose: EmbeddingPurpose): string => familyOf(model)?.[purpose] ?? '';

/** Models that put a text near its translations (model cards). */
const MULTILINGUAL =
  /multilingual|text-embedding-3-|bge-m3|mistral-embed|jina-embeddings-v3|embeddinggemma|qwen3-embedding|nomic-embed-text-v2|snowflake-arctic-embed(?:2|-[ml]-v2)/;

/** Whether a question finds passages in other languages. Nothing is assumed about unknown models. */
export const isMultilingualEmbedding = (model: string): boolean => MULTILINGUAL.test(model.toLowerCase());

/** Whether a model of a known family knows all of the languages (ISO 639-1). Nothing is assumed about other models. */
export function ranksWellIn(model: string, languages: readonly string[]): boolean {
  const family = familyOf(model);
  if (family === undefined) return false;
  return family.english !== true || isMultilingualEmbedding(model) || languages.every((each) => each === 'en');
}

/** Longest wait of a job. A job that would wait longer fails, because it blocks a worker for other organizations. */
const MOST_WAIT_MS = 60_000;

/** Calls of one organization to one provider: a few at a time, and none before the time of a `Retry-After`. */
export class CallLimiter {
  private openAt = 0;
  private readonly semaphore: Semaphore;

  constructor(parallel: number) {
    this.semaphore = new Semaphore(parallel);
  }

  get isIdle(): boolean {
    return this.semaphore.isIdle && Date.now() >= this.openAt;
  }

  /** No call begins before `ms` have passed. */
  close(ms: number): void {
    this.openAt = Math.max(this.openAt, Date.now() + ms);
  }

  /**
   * Rejects with `cancelled` when the signal aborts before `work` begins, and with `upstream_rate_limited` after a
   * long `Retry-After`.
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    let begun = false;
    try {
      return await this.semaphore.run(async () => {
        const wait = this.openAt - Date.now();
        if (wait > MOST_WAIT_MS) throw limited(wait);
        if (wait > 0) await sleep(wait, undefined, { signal });
        begun = true;
        return work();
      }, signal);
    } catch (error) {
      throw !begun && signal.aborted ? new AppError('cancelled', 'The request was cancelled') : error;
    }
  }
}

const limited = (ms: number): AppError =>
  new AppError('upstream_rate_limited', 'The model vendor limits requests at the moment', {
    retryAfter: Math.ceil(ms / 1_000),
  });

const MAX_DIMENSIONS = 8_192;

/** Scales the vector to length 1. @throws AppError `upstream_bad_response` for zero vectors and non-finite numbers */
export function unitVector(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  if (!Number.isFinite(length) || length < 1e-12) {
    throw new AppError('upstream_bad_response', 'The embedding model gave a vector without a direction');
  }
  return vector.map((value) => value / length);
}

/** Passages can wait for a busy vendor; a person's question cannot. */
const PATIENCE: Readonly<Record<EmbeddingPurpose, Omit<EmbeddingContext, 'signal'>>> = {
  passage: { timeoutMs: 120_000, tries: 3, maxWaitMs: 60_000 },
  query: { timeoutMs: 15_000, tries: 2, maxWaitMs: 3_000 },
};
/** After a refusal without a time of its own. */
const COOL_DOWN_MS = 10_000;
/** A question too long for its model is halved until this length. Characters. */
const SHORTEST_QUERY = 200;
const MAX_LIMITERS = 1_000;
const NO_RUN = '';
/** Target of a provider without a vendor: nothing is sent. */
const OWN_TARGET: ModelTarget = { baseUrl: '', apiKey: null, trusted: true, continuesTraces: false };
/** Vectors are no tokens. */
const NO_ANSWER = { max_tokens: 0 } as const;

export interface EmbeddingJob {
  readonly provider: string;
  readonly model: string;
  readonly purpose: EmbeddingPurpose;
  readonly texts: readonly string[];
  /** Asks the model for so many; null: what it has. */
  readonly dimensions: number | null;
  readonly signal: AbortSignal;
}

interface Call extends EmbeddingJob {
  readonly source: EmbeddingProvider;
  readonly target: ModelTarget;
  readonly limiter: CallLimiter | null;
  /** Counts for the organization: vectors serve everybody's questions. */
  readonly meter: () => RunMeter | Promise<RunMeter>;
}

/** Turns texts into vectors with what an organization has configured. */
@Injectable()
export class EmbeddingsService implements OnApplicationShutdown {
  private readonly byName: ReadonlyMap<string, EmbeddingProvider>;
  private readonly limiters = new Map<string, CallLimiter>();

  constructor(
    @Inject(EMBEDDING_PROVIDERS) providers: readonly EmbeddingProvider[],
    private readonly organizations: OrganizationsService,
    private readonly metering: Metering,
  ) {
    this.byName = new Map(providers.map((provider) => [provider.definition.name, provider]));
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.byName.values()].map(async (provider) => provider.end?.()));
  }

  definitions(): readonly EmbeddingProviderDefinition[] {
    return [...this.byName.values()].map(({ definition }) => definition);
  }

  /** Name of the model that the service runs itself. */
  get modelFolder(): string | null {
    return this.definitions().find(({ vendor }) => vendor === null)?.defaultModel ?? null;
  }

  /** False without the provider, and without the server or key that it needs. */
  async isConfigured(organizationId: string, provider: string): Promise<boolean> {
    const definition = this.byName.get(provider)?.definition;
    return definition !== undefined && (await this.findTarget(organizationId, definition)) !== null;
  }

  /** Cache key beside provider, model and dimensions: the server's address, and the prefix of texts. */
  async identity(
    organizationId: string,
    { provider, model, purpose }: Pick<EmbeddingJob, 'provider' | 'model' | 'purpose'>,
  ): Promise<string> {
    const { vendor, version = '' } = this.byName.get(provider)?.definition ?? {};
    const { providers } = await this.organizations.runtime(organizationId);
    const server = providers.get(vendor?.name ?? '')?.baseUrl;
    return JSON.stringify([server ?? version, instructionFor(model, purpose)]);
  }

  /** Texts that a provider takes in one round of calls. */
  textsAtOnce(provider: string): number {
    const definition = this.byName.get(provider)?.definition;
    return definition === undefined ? 1 : definition.maxTexts * definition.parallel;
  }

  /**
   * One vector of length 1 per text, in order, all of one dimension. Texts are sent in as many calls as the provider needs.
   * Rejects with an `AppError`: `upstream_*`
   * (`upstream_rejected` for a text that is too long, with a sentence that says so), `connector_not_configured`,
   * `secret_unavailable`, `outbound_refused`, `quota_exceeded`, `cancelled`.
   */
  async embed(organizationId: string, job: EmbeddingJob): Promise<number[][]> {
    const call = await this.resolve(organizationId, job);
    const instruction = instructionFor(job.model, job.purpose);
    return this.inCalls(
      call,
      job.texts.map((text) => instruction + filled(text)),
    );
  }

  private async resolve(organizationId: string, job: EmbeddingJob): Promise<Call> {
    const source = this.byName.get(job.provider);
    if (source === undefined) {
      throw new AppError(
        'connector_not_configured',
        `There is no embedding provider named ${job.provider.slice(0, 60)}`,
      );
    }
    const limiter = job.purpose === 'query' ? null : this.limiterOf(organizationId, source.definition);
    const target = await this.targetOf(organizationId, source.definition);
    const payer = await this.organizations.runtime(organizationId);
    return { ...job, source, target, limiter, meter: () => this.metering.of(NO_RUN, payer) };
  }

  private async targetOf(organizationId: string, definition: EmbeddingProviderDefinition): Promise<ModelTarget> {
    const target = await this.findTarget(organizationId, definition);
    if (target !== null) return target;
    const name = definition.vendor?.name ?? definition.name;
    const message = `The organization has not configured the provider ${name} that its knowledge base is embedded with`;
    throw new AppError('connector_not_configured', message);
  }

  /** Null where the organization has not configured the vendor. */
  private async findTarget(
    organizationId: string,
    { vendor }: EmbeddingProviderDefinition,
  ): Promise<ModelTarget | null> {
    if (vendor === null) return OWN_TARGET;
    const { providers } = await this.organizations.runtime(organizationId);
    const provider = providers.get(vendor.name);
    if (provider === undefined || (vendor.needsKey && !provider.trusted && provider.apiKey === null)) return null;
    const { baseUrl, apiKey, trusted } = provider;
    return { baseUrl, apiKey, trusted, continuesTraces: baseUrl !== vendor.baseUrl };
  }

  private limiterOf(organizationId: string, { name, parallel }: EmbeddingProviderDefinition): CallLimiter {
    const key = `${organizationId} ${name}`;
    if (this.limiters.size >= MAX_LIMITERS)
      for (const [old, each] of this.limiters) if (each.isIdle) this.limiters.delete(old);
    const limiter = this.limiters.get(key) ?? new CallLimiter(parallel);
    this.limiters.set(key, limiter);
    return limiter;
  }

  private async inCalls(call: Call, texts: readonly string[]): Promise<number[][]> {
    const batches = batchesOf(texts, call.source.definition);
    // The first failure ends the other calls.
    const failed = new AbortController();
    const shared = { ...call, signal: AbortSignal.any([call.signal, failed.signal]) };
    const lanes = new Semaphore(call.source.definition.parallel);
    const answers: number[][][] = [];
    const errors: unknown[] = [];
    const asked = batches.map(async (batch, at) => {
      try {
        answers[at] = await lanes.run(() => this.one(shared, batch), failed.signal);
      } catch (error) {
        errors.push(error);
        failed.abort();
      }
    });
    await Promise.all(asked);
    if (errors.length > 0) throw errors[0];
    const vectors = answers.flat();
    if (vectors.some(({ length }) => length !== vectors[0]?.length)) {
      throw bad(`The embedding model ${call.model} gave vectors of different dimensions`);
    }
    return vectors;
  }

  /** One batch; in halves when it turns out to be too much. */
  private async one(call: Call, texts: readonly string[]): Promise<number[][]> {
    try {
      return await this.send(call, texts);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'payload_too_large') throw error;
      const [first = ''] = texts;
      if (texts.length > 1) {
        const half = Math.ceil(texts.length / 2);
        return [...(await this.one(call, texts.slice(0, half))), ...(await this.one(call, texts.slice(half)))];
      }
      if (call.purpose === 'query' && first.length > SHORTEST_QUERY) {
        return this.one(call, [first.slice(0, Math.floor(first.length / 2)).toWellFormed()]);
      }
      throw new AppError('upstream_rejected', tooLong(first, call.model), { cause: error });
    }
  }

  private async send(call: Call, texts: readonly string[]): Promise<number[][]> {
    const meter = await call.meter();
    const messages = texts.map((content) => ({ role: 'user', content }) as const);
    const request = { model: call.model, messages, params: NO_ANSWER };
    const { name, vendor } = call.source.definition;
    const asked = await meter.begin(vendor?.name ?? name, request, 'embeddings');
    const parent = currentSpan();
    const { baseUrl } = call.target;
    const traced = {
      operation: 'embeddings',
      provider: asked.provider,
      model: call.model,
      baseUrl,
      messages: [],
    } as const;
    const span = parent === null ? null : beginModelSpan(parent, traced);
    try {
      return await inSpan(span, () => this.ask(call, texts));
    } catch (error) {
      asked.fail(error);
      throw error;
    } finally {
      meter.end(asked);
      endModelSpan(span, asked, null);
    }
  }

  private async ask({ source, limiter, ...call }: Call, texts: readonly string[]): Promise<number[][]> {
    const { model, purpose, dimensions, signal } = call;
    const request = { model, purpose, dimensions, texts };
    const ask = () => source.embed(request, call.target, { signal, ...PATIENCE[purpose] });
    try {
      await beforeVendorCall.getStore()?.();
      const vectors = await (limiter === null ? ask() : limiter.run(signal, ask));
      return checked(vectors, texts.length, call);
    } catch (error) {
      if (error instanceof AppError && error.code === 'upstream_rate_limited') {
        limiter?.close(error.retryAfter === undefined ? COOL_DOWN_MS : error.retryAfter * 1_000);
      }
      throw error;
    }
  }
}

function checked(
  vectors: readonly (readonly number[])[],
  count: number,
  { model, dimensions }: EmbeddingJob,
): number[][] {
  if (vectors.length !== count) {
    throw bad(`The embedding model ${model} gave ${vectors.length} vectors for ${count} texts`);
  }
  const length = vectors[0]?.length ?? 0;
  if (length < 1 || length > MAX_DIMENSIONS) {
    throw bad(`The embedding model ${model} gave vectors of ${length} dimensions; 1 to ${MAX_DIMENSIONS} are possible`);
  }
  if (dimensions !== null && length !== dimensions) {
    throw bad(`The embedding model ${model} gave vectors of ${length} dimensions, ${dimensions} were asked for`);
  }
  return vectors.map(unitVector);
}

function batchesOf(texts: readonly string[], { maxTexts, maxChars }: EmbeddingProviderDefinition): string[][] {
  const batches: string[][] = [];
  let size = 0;
  for (const text of texts) {
    const last = batches.at(-1);
    if (last === undefined || last.length >= maxTexts || size + text.length > maxChars) {
      batches.push([text]);
      size = text.length;
    } else {
      last.push(text);
      size += text.length;
    }
  }
  return batches;
}

/** Vendors refuse empty texts, and a lone half of a character is no text for them. */
const filled = (text: string): string => (text.trim() === '' ? '-' : text.toWellFormed());

const bad = (detail: string): AppError => new AppError('upstream_bad_response', detail);

const tooLong = ({ length }: string, model: string): string =>
  `A passage of ${length} characters is longer than the embedding model ${model} reads; choose a smaller chunk_size`;
