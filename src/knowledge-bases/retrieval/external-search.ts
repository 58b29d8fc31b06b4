import { AppError, type ErrorCode, type JsonObject, isJsonObject } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../infrastructure/config';
import { traceHeaders } from '../../infrastructure/context';
import { OutboundClient, type OutboundResponse } from '../../infrastructure/outbound';
import { type KnowledgeBaseRuntime, OrganizationsService } from '../../organizations';
import type { Passage, RetrievalQuery } from './retrieval.types';
import { referenceName } from './collection-references';

/** 4xx statuses that a retry may fix. Every other 4xx is final and says nothing about the health of the server. */
const TRANSIENT_STATUS: ReadonlySet<number> = new Set([408, 425]);

const REASONS: Readonly<Record<number, string>> = { 401: 'the server refused its token', 404: 'no such collection' };

function codeOf(status: number): ErrorCode {
  if (status === 404) return 'not_found';
  if (status === 401 || status === 403) return 'upstream_auth';
  if (status === 429) return 'upstream_rate_limited';
  if (status >= 500 || TRANSIENT_STATUS.has(status)) return 'upstream_error';
  return status >= 400 ? 'upstream_rejected' : 'upstream_bad_response';
}

/** Error for a status other than 2xx. */
export function refusalOf(status: number, headers: OutboundResponse['headers']): AppError {
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  const retryAfter = Number.isFinite(seconds) && seconds >= 0 ? { retryAfter: seconds } : {};
  return new AppError(codeOf(status), REASONS[status] ?? `the server answered ${status}`, retryAfter);
}

export const noUsableAnswer = (cause?: unknown): AppError =>
  new AppError('upstream_bad_response', 'the server gave no usable answer', { cause });

/** The first of these codes stands for several failures. Transient ones come first. */
const PRECEDENCE: readonly ErrorCode[] = [
  'upstream_rate_limited',
  'upstream_timeout',
  'upstream_error',
  'upstream_bad_response',
  'upstream_auth',
  'upstream_rejected',
  'outbound_refused',
];

/** Error of a search in which every collection failed. */
export function failureOfAll(failures: readonly AppError[], detail: string): AppError {
  const code = PRECEDENCE.find((known) => failures.some((failure) => failure.code === known)) ?? 'not_found';
  const waits = failures.flatMap(({ retryAfter }) => retryAfter ?? []);
  return new AppError(code, detail, waits.length === 0 ? {} : { retryAfter: Math.max(...waits) });
}

const TIMEOUT_MS = 10_000;

/** Asks a LAMB knowledge-base server once whether address and token are right. */
@Injectable()
export class ExternalProbe {
  constructor(@Inject(OutboundClient) private readonly outbound: Pick<OutboundClient, 'request'>) {}

  /** Number of collections that the server lists. */
  async collections({ serverUrl, apiToken }: KnowledgeBaseRuntime, signal: AbortSignal): Promise<number> {
    const { status, headers, text } = await this.outbound.request({
      url: new URL('collections', serverUrl.endsWith('/') ? serverUrl : `${serverUrl}/`).href,
      headers: {
        accept: 'application/json',
        ...(apiToken === null ? {} : { authorization: `Bearer ${apiToken}` }),
      },
      timeoutMs: TIMEOUT_MS,
      signal,
    });
    const vendor = { status, message: null, request_id: null, retries: 0 };
    if (status < 200 || status > 299) {
      const { code, detail } = refusalOf(status, headers);
      throw new AppError(code, detail, { vendor });
    }
    const count = countIn(text);
    if (count === null) throw new AppError('upstream_bad_response', noUsableAnswer().detail, { vendor });
    return count;
  }
}

/** Versions differ: a bare list, or an object with it. Null for anything else. */
function countIn(text: string): number | null {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return null;
  }
  const lists = [answer, ...(isJsonObject(answer) ? [answer['collections'], answer['items']] : [])];
  const list = lists.find((each) => Array.isArray(each));
  return list === undefined ? null : list.length;
}

/** Share of the caller's time limit that is reserved for merging, at most one second. */
const RESERVED_SHARE = 0.1;
const MOST_RESERVED_MS = 1_000;
/** Passages requested per passage wanted: near-duplicates are dropped later. */
const OVERSAMPLING = 2;

export interface ExternalAnswer {
  readonly collection: string;
  readonly passages: readonly Passage[];
  /** Why the collection failed. */
  readonly failure?: AppError;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

const share = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0;

/** Current servers answer `results`, older ones `documents`. */
function entriesOf(answer: unknown): readonly JsonObject[] | null {
  if (!isJsonObject(answer)) return null;
  const list = [answer['results'], answer['documents']].find(Array.isArray);
  return list === undefined ? null : list.filter(isJsonObject);
}

/** An HTTP URL, relative to `base` if there is one; null for anything else, such as `javascript:`. */
function webUrl(text: string | null, base?: string): string | null {
  if (text === null || !URL.canParse(text, base)) return null;
  const { protocol, href } = new URL(text, base);
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  return base === undefined ? text : href;
}

function titleOf(metadata: JsonObject): string {
  const video = textOf(metadata['video_id']);
  return (
    textOf(metadata['video_title']) ??
    (video === null ? null : `YouTube: ${video}`) ??
    textOf(metadata['filename']) ??
    textOf(metadata['title']) ??
    'Unknown'
  );
}

interface Asked {
  readonly collection: string;
  readonly base: string;
  readonly parent: boolean;
}

function passageOf(entry: JsonObject, { collection, base: serverUrl, parent }: Asked): Passage | null {
  const metadata = isJsonObject(entry['metadata']) ? entry['metadata'] : {};
  const text = (parent ? textOf(metadata['parent_text']) : null) ?? textOf(entry['data']);
  if (text === null) return null;
  const similarity = share(entry['similarity']);
  const { page } = metadata;
  const section = textOf(metadata['section_title']);
  const url =
    webUrl(textOf(metadata['source_url'])) ??
    webUrl(textOf(metadata['original_file_url']), serverUrl) ??
    webUrl(textOf(metadata['file_url']), serverUrl) ??
    '';
  return {
    text,
    similarity,
    metadata,
    source: {
      type: 'knowledge_base',
      title: titleOf(metadata),
      url,
      similarity,
      document: textOf(metadata['filename']),
      ...(typeof page === 'number' ? { page } : {}),
      ...(section === null ? {} : { section }),
      knowledge_base: { id: collection, name: collection },
    },
  };
}

/** With a trailing slash, so that `new URL` appends to the path. */
const baseOf = (serverUrl: string): string => (serverUrl.endsWith('/') ? serverUrl : `${serverUrl}/`);

/** Searches collections of the organization's LAMB knowledge-base server. */
@Injectable()
export class ExternalSearch {
  constructor(
    private readonly outbound: OutboundClient,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(OrganizationsService) private readonly organizations: Pick<OrganizationsService, 'runtime'>,
  ) {}

  /** Null when the organization has none. */
  async serverOf(organizationId: string): Promise<KnowledgeBaseRuntime | null> {
    return (await this.organizations.runtime(organizationId)).knowledgeBase;
  }

  /** Queries all collections at once. A failure is part of the answer. Rejects only when the signal aborts. */
  query(
    server: KnowledgeBaseRuntime,
    collections: readonly string[],
    query: RetrievalQuery,
  ): Promise<ExternalAnswer[]> {
    return Promise.all(collections.map((collection) => this.queryOne(server, collection, query)));
  }

  private async queryOne(
    server: KnowledgeBaseRuntime,
    collection: string,
    query: RetrievalQuery,
  ): Promise<ExternalAnswer> {
    try {
      return { collection, passages: await this.ask(server, referenceName(collection), query) };
    } catch (error) {
      query.signal?.throwIfAborted();
      return { collection, passages: [], failure: error instanceof AppError ? error : noUsableAnswer(error) };
    }
  }

  private async ask(server: KnowledgeBaseRuntime, collection: string, query: RetrievalQuery): Promise<Passage[]> {
    if (/^\.{1,2}$/.test(collection)) throw new AppError('not_found', 'no such collection');
    const asked = { collection, base: baseOf(server.serverUrl), parent: query.parent === true };
    const { status, headers, text } = await this.outbound.request({
      url: urlOf(asked),
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...traceHeaders(),
        ...(server.apiToken === null ? {} : { authorization: `Bearer ${server.apiToken}` }),
      },
      body: JSON.stringify(bodyOf(query)),
      timeoutMs: timeFor(query.timeoutMs ?? this.config.tools.defaultTimeoutMs),
      ...(query.signal === undefined ? {} : { signal: query.signal }),
    });
    if (status < 200 || status > 299) throw refusalOf(status, headers);
    const entries = entriesOf(JSON.parse(text));
    if (entries === null) throw noUsableAnswer();
    const passages = best(
      entries.flatMap((entry) => passageOf(entry, asked) ?? []),
      query,
    );
    return asked.parent ? onePerText(passages) : passages;
  }
}

const timeFor = (ms: number): number => Math.max(1, Math.ceil(ms - Math.min(MOST_RESERVED_MS, RESERVED_SHARE * ms)));

function urlOf({ collection, base, parent }: Asked): string {
  const url = new URL(`collections/${encodeURIComponent(collection)}/query`, base);
  if (parent) url.searchParams.set('plugin_name', 'parent_child_query');
  return url.href;
}

const bodyOf = ({ text, topK, threshold, grouped = false, parent = false }: RetrievalQuery): JsonObject => ({
  query_text: text,
  top_k: grouped && !parent ? topK : OVERSAMPLING * topK,
  threshold,
  plugin_params: {},
});

const best = (passages: readonly Passage[], { threshold }: RetrievalQuery): Passage[] =>
  passages.filter(({ similarity }) => similarity >= threshold).sort((a, b) => b.similarity - a.similarity);

/** Keeps each text once: several matching children return the same parent. */
const onePerText = (passages: readonly Passage[]): Passage[] =>
  [...new Map([...passages].reverse().map((passage) => [passage.text, passage] as const)).values()].reverse();
