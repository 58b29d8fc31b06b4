import { AppError, type ErrorCode, atMostFor } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CONFIG, type Config } from '../infrastructure/config';
import { traceHeaders } from '../infrastructure/context';
import { OutboundClient, beforeVendorCall } from '../infrastructure/outbound';
import { RERANK_DIALECT_PLUGINS, type RawScore, type RerankDialect } from '../infrastructure/dialects';
import { Metering } from '../metering';
import { OrganizationsService, type RerankerRuntime } from '../organizations';
import { codeOfStatus, jsonOf } from './transport/service-answer';

/** One finite score per passage, each passage once; null for anything else. */
function checkedScores(raw: readonly RawScore[] | null, count: number): readonly number[] | null {
  if (raw?.length !== count) return null;
  const scores = new Map<number, number>();
  for (const { index, score } of raw) {
    const isAsked = typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < count;
    if (!isAsked || scores.has(index) || typeof score !== 'number' || !Number.isFinite(score)) return null;
    scores.set(index, score);
  }
  return Array.from({ length: count }, (_, index) => scores.get(index) ?? 0);
}

/** The endpoint for an address as people enter it: with or without the version and the path. */
export function endpointOf(address: string, path: string): string {
  const url = new URL(address);
  const given = url.pathname.replace(/(?<!\/)\/+$/, '');
  const [first = ''] = path.split('/');
  if (given.endsWith('/rerank')) url.pathname = given;
  else url.pathname = given.endsWith(`/${first}`) ? given + path.slice(first.length) : `${given}/${path}`;
  return url.href;
}

/** Circuit breaker: a reranker that failed is not asked for this long. Otherwise every question would wait for the time limit. */
const COOL_DOWN_MS = 20_000;
const MAX_BYTES = 1024 * 1024;
const PROVIDER = 'reranker';
const NO_RUN = '';
const NO_ANSWER = { max_tokens: 0 } as const;

/** Failures that open the circuit. */
const OPENS_CIRCUIT: ReadonlySet<ErrorCode> = new Set(['upstream_timeout', 'upstream_error', 'upstream_rate_limited']);

export interface RerankJob {
  readonly question: string;
  readonly passages: readonly string[];
  readonly signal: AbortSignal;
}

/** Asks the reranker of an organization how well passages answer a question. */
@Injectable()
export class RerankerService {
  private readonly openCircuits = new LRUCache<string, AppError>(atMostFor(1_000, COOL_DOWN_MS));

  constructor(
    private readonly organizations: OrganizationsService,
    private readonly metering: Metering,
    @Inject(OutboundClient) private readonly outbound: Pick<OutboundClient, 'request'>,
    @Inject(CONFIG) private readonly config: { readonly tools: Pick<Config['tools'], 'rerankTimeoutMs'> },
  ) {}

  async isConfigured(organizationId: string): Promise<boolean> {
    return (await this.organizations.runtime(organizationId)).reranker !== null;
  }

  /**
   * One score per passage, in their order; higher answers better. Rejects with `connector_not_configured`, `upstream_*`,
   * `outbound_refused`, `secret_unavailable`, `quota_exceeded` or `cancelled`.
   */
  async scores(organizationId: string, job: RerankJob): Promise<readonly number[]> {
    const runtime = await this.organizations.runtime(organizationId);
    const { reranker } = runtime;
    if (reranker === null) throw new AppError('connector_not_configured', 'The organization has no reranker');
    const key = JSON.stringify([organizationId, reranker.url, reranker.dialect, reranker.model]);
    const known = this.openCircuits.get(key);
    if (known !== undefined) throw known;
    const meter = await this.metering.of(NO_RUN, runtime);
    const messages = [job.question, ...job.passages].map((content) => ({ role: 'user', content }) as const);
    const request = { model: reranker.model ?? reranker.dialect, messages, params: NO_ANSWER };
    const call = await meter.begin(PROVIDER, request, 'rerank');
    try {
      await beforeVendorCall.getStore()?.();
      return await this.ask(reranker, job);
    } catch (error) {
      call.fail(error);
      if (error instanceof AppError && OPENS_CIRCUIT.has(error.code)) this.openCircuits.set(key, error);
      throw error;
    } finally {
      meter.end(call);
    }
  }

  /** One call with the values of a connection, stored or not. */
  async ask({ dialect: name, url, model, apiKey }: RerankerRuntime, job: RerankJob): Promise<readonly number[]> {
    const { question, passages, signal } = job;
    const dialect = dialectOf(name);
    const { status, text } = await this.outbound.request({
      url: endpointOf(url, dialect.path),
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...traceHeaders(),
        ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify(dialect.body({ model, question, passages })),
      timeoutMs: this.config.tools.rerankTimeoutMs,
      maxBytes: MAX_BYTES,
      signal,
    });
    const vendor = { status, message: null, request_id: null, retries: 0 };
    if (status < 200 || status > 299)
      throw new AppError(codeOfStatus(status), `The reranker answered ${status}`, { vendor });
    const scores = checkedScores(dialect.scores(jsonOf(text)), passages.length);
    if (scores === null) throw new AppError('upstream_bad_response', 'The reranker gave no usable answer', { vendor });
    return scores;
  }
}

function dialectOf(name: string): RerankDialect {
  const dialect = RERANK_DIALECT_PLUGINS.find((each) => each.name === name);
  if (dialect === undefined) throw new AppError('connector_not_configured', `There is no reranker dialect ${name}`);
  return dialect;
}
