import { AppError, type JsonObject } from '@bellwether/kernel';
import type { Dispatcher } from 'undici';
import { traceHeaders } from '../../infrastructure/context';
import { encodeJson } from '../../infrastructure/http';
import { decodedBody, type OutboundClient } from '../../infrastructure/outbound';
import type { ModelTarget } from '../contract';
import type { CallDeadline } from './call-deadline';
import type { ModelCallLimits } from '../contract';
import { failureOfStatus, noJson } from './upstream-failure';

export interface ModelGet {
  readonly target: ModelTarget;
  /** Appended to the base URL, e.g. `/chat/completions`; may hold a query. */
  readonly path: string;
  /** The vendor's own headers, its way of being shown the key among them; OpenAI's way when absent. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly deadline: CallDeadline;
}

export interface ModelPost extends ModelGet {
  readonly body: JsonObject;
  readonly stream: boolean;
}

/** Longest error page read, and longest plain answer. Bytes. */
const MAX_REFUSAL = 65_536;
export const MAX_BODY = 16 * 1024 * 1024;

/** One try at a vendor. Rejects with `UpstreamFailure` for a status other than 2xx and with undici's errors otherwise. */
export class ModelTransport {
  constructor(
    private readonly outbound: OutboundClient,
    private readonly limits: ModelCallLimits,
  ) {}

  async post(input: ModelPost): Promise<Dispatcher.ResponseData> {
    return this.send(input, input.stream, { method: 'POST', body: await encodeJson(input.body) });
  }

  get(input: ModelGet): Promise<Dispatcher.ResponseData> {
    return this.send(input, false, { method: 'GET' });
  }

  private async send(
    input: ModelGet,
    stream: boolean,
    request: Pick<Dispatcher.RequestOptions, 'method' | 'body'>,
  ): Promise<Dispatcher.ResponseData> {
    const { target, deadline } = input;
    const url = endpoint(target.baseUrl, input.path);
    const response = await this.outbound.dispatcher(target.trusted).request({
      origin: url.origin,
      path: url.pathname + url.search,
      ...request,
      headers: headersFor(input, stream),
      signal: deadline.signal,
      headersTimeout: stream ? this.limits.firstByteMs : this.limits.plainTotalMs,
      bodyTimeout: stream ? this.limits.idleMs : this.limits.plainTotalMs,
    });
    if (response.statusCode >= 200 && response.statusCode < 300) return response;
    const text = await readUpTo(decodedBody(response), MAX_REFUSAL).catch(() => '');
    throw failureOfStatus({ status: response.statusCode, headers: response.headers, text }, [target.apiKey]);
  }

  /** The whole body as parsed JSON. @throws AppError `upstream_bad_response` */
  async json(response: Dispatcher.ResponseData, maxBytes = MAX_BODY): Promise<unknown> {
    return jsonOf(await readUpTo(decodedBody(response), maxBytes), response.statusCode);
  }
}

/** A vendor's JSON. A byte order mark before it is no part of it. @throws AppError `upstream_bad_response` */
export function jsonOf(text: string, status: number): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch (cause) {
    throw noJson(status, text, cause);
  }
}

export const badResponse = (detail: string, cause?: unknown): AppError =>
  new AppError('upstream_bad_response', detail, cause === undefined ? {} : { cause });

export const truncated = (detail = 'The model vendor stopped in the middle of its answer'): AppError =>
  new AppError('upstream_truncated', detail);

function endpoint(baseUrl: string, path: string): URL {
  if (!URL.canParse(baseUrl))
    throw new AppError('connector_not_configured', 'The base URL of the model vendor is not valid');
  const url = new URL(baseUrl);
  const [pathname = '', search = ''] = path.split('?');
  url.pathname = url.pathname.replace(/\/$/, '') + pathname;
  if (search !== '') url.search = search;
  return url;
}

const headersFor = ({ target, headers }: ModelGet, stream: boolean): Record<string, string> => ({
  'content-type': 'application/json',
  accept: stream ? 'text/event-stream, application/x-ndjson' : 'application/json',
  // A compressed stream arrives in blocks, not by the token.
  'accept-encoding': 'identity',
  'user-agent': 'bellwether',
  ...(headers ?? (target.apiKey === null ? {} : { authorization: `Bearer ${target.apiKey}` })),
  ...(target.continuesTraces === true ? traceHeaders() : {}),
});

async function readUpTo(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > maxBytes) throw badResponse('The model vendor sent too much');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
