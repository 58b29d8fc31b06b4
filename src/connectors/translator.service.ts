import { AppError, type ErrorCode, atMostFor } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CONFIG, type Config } from '../infrastructure/config';
import { traceHeaders } from '../infrastructure/context';
import { OutboundClient, beforeVendorCall } from '../infrastructure/outbound';
import { TRANSLATION_DIALECT_PLUGINS, type TranslationDialect } from '../infrastructure/dialects';
import { Metering } from '../metering';
import { OrganizationsService, type TranslatorRuntime } from '../organizations';
import { codeOfStatus, jsonOf } from './transport/service-answer';

/** A translation is rarely so many times longer or shorter than its text. */
const MOST_TIMES = 4;
const SHORT_CHARS = 40;

/** One line of text with letters, of a length that a translation can have; null for anything else. */
function checkedTranslation(raw: unknown, text: string): string | null {
  if (typeof raw !== 'string') return null;
  const said = raw.toWellFormed().replace(/\s+/g, ' ').trim();
  if (!/\p{L}/u.test(said) || said.length > MOST_TIMES * text.length + SHORT_CHARS) return null;
  return text.length > MOST_TIMES * said.length + SHORT_CHARS ? null : said;
}

/** Circuit breaker: a translator that failed is not asked for this long. Otherwise every question would wait for the time limit. */
const COOL_DOWN_MS = 20_000;
const MAX_BYTES = 256 * 1024;
const PROVIDER = 'translator';
const NO_RUN = '';
const NO_ANSWER = { max_tokens: 0 } as const;
/** Several tools of one assistant search for the same question. */
const KEPT = atMostFor(500, 10 * 60_000);

/** Failures that open the circuit. */
const OPENS_CIRCUIT: ReadonlySet<ErrorCode> = new Set(['upstream_timeout', 'upstream_error', 'upstream_rate_limited']);

export interface TranslationJob {
  readonly text: string;
  /** ISO 639-1. */
  readonly from: string;
  readonly to: string;
  readonly signal: AbortSignal;
}

/** Asks the translator of an organization. */
@Injectable()
export class TranslatorService {
  private readonly openCircuits = new LRUCache<string, AppError>(atMostFor(1_000, COOL_DOWN_MS));
  private readonly kept = new LRUCache<string, string>(KEPT);

  constructor(
    private readonly organizations: OrganizationsService,
    private readonly metering: Metering,
    @Inject(OutboundClient) private readonly outbound: Pick<OutboundClient, 'request'>,
    @Inject(CONFIG) private readonly config: { readonly tools: Pick<Config['tools'], 'translateTimeoutMs'> },
  ) {}

  async isConfigured(organizationId: string): Promise<boolean> {
    return (await this.organizations.runtime(organizationId)).translator !== null;
  }

  /**
   * Rejects with `connector_not_configured`, `upstream_*`, `outbound_refused`, `secret_unavailable`, `quota_exceeded` or
   * `cancelled`.
   */
  async translate(organizationId: string, job: TranslationJob): Promise<string> {
    const runtime = await this.organizations.runtime(organizationId);
    const { translator } = runtime;
    if (translator === null) throw new AppError('connector_not_configured', 'The organization has no translator');
    const server = JSON.stringify([organizationId, translator.url, translator.dialect]);
    const key = JSON.stringify([server, job.from, job.to, job.text]);
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const failed = this.openCircuits.get(server);
    if (failed !== undefined) throw failed;
    const meter = await this.metering.of(NO_RUN, runtime);
    const messages = [{ role: 'user', content: job.text } as const];
    const call = await meter.begin(PROVIDER, { model: translator.dialect, messages, params: NO_ANSWER }, 'translate');
    try {
      await beforeVendorCall.getStore()?.();
      const translation = await this.ask(translator, job);
      this.kept.set(key, translation);
      return translation;
    } catch (error) {
      call.fail(error);
      if (error instanceof AppError && OPENS_CIRCUIT.has(error.code)) this.openCircuits.set(server, error);
      throw error;
    } finally {
      meter.end(call);
    }
  }

  /** Asks without counting and remembering, as for a test of settings. Rejects as `translate`, but for the quota. */
  async ask({ dialect: name, url, apiKey }: TranslatorRuntime, job: TranslationJob): Promise<string> {
    const { text, from, to, signal } = job;
    const dialect = dialectOf(name);
    const { query = {}, body, headers = {} } = dialect.call({ text, from, to, apiKey });
    const answer = await this.outbound.request({
      url: addressOf(url, query),
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...traceHeaders(),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      timeoutMs: this.config.tools.translateTimeoutMs,
      maxBytes: MAX_BYTES,
      signal,
    });
    const { status } = answer;
    const vendor = { status, message: null, request_id: null, retries: 0 };
    if (status < 200 || status > 299)
      throw new AppError(codeOfStatus(status), `The translator answered ${status}`, { vendor });
    const translation = checkedTranslation(dialect.translation(jsonOf(answer.text)), text);
    if (translation === null)
      throw new AppError('upstream_bad_response', 'The translator gave no usable answer', { vendor });
    return translation;
  }
}

function dialectOf(name: string): TranslationDialect {
  const dialect = TRANSLATION_DIALECT_PLUGINS.find((each) => each.name === name);
  if (dialect === undefined) throw new AppError('connector_not_configured', `There is no translator dialect ${name}`);
  return dialect;
}

/** An address as people enter it: the server or the whole endpoint. */
function addressOf(address: string, query: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  const given = url.pathname.replace(/(?<!\/)\/+$/, '');
  url.pathname = given.endsWith('/translate') ? given : `${given}/translate`;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}
