import { AppError, type JsonObject, isJsonObject } from '@bellwether/kernel';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import { type JSONRPCMessage, type Progress, ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Dispatcher } from 'undici';
import { traceHeaders } from '../../../infrastructure/context';
import { type OutboundClient, outboundFailure } from '../../../infrastructure/outbound';
import type { McpServerRuntime } from '../../../organizations';
import { cutText } from '../../read-output';

/** Nodes of one schema after references have been inlined. */
const MAX_NODES = 200;
const MAX_DEPTH = 8;
const MAX_PROPERTIES = 64;
/** Entries read of a `required` list and of a `type` list. Later ones are ignored. */
const MAX_REQUIRED = 256;
const MAX_TYPES = 16;
const MAX_CHOICES = 100;
const MAX_CHOICE_CHARS = 200;
const MAX_BRANCHES = 8;
const DESCRIPTION_CHARS = 300;
/** UTF-16 units of JSON text: of the result, and of the schema that is read. */
const MAX_CHARS = 12_000;
const MAX_GIVEN_CHARS = 64 * 1024;

/** Property names that OpenAI and Anthropic accept. */
const PROPERTY = /^[A-Za-z0-9_.-]{1,64}$/;
const TRAPS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const;
const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const;
const BRANCHES = ['anyOf', 'oneOf', 'allOf'] as const;

type Schema = Record<string, unknown>;

/**
 * Builds a function's parameters from an untrusted schema, using known keywords only. Inlines local references; cyclic
 * ones become `{}`. Drops patterns, which could be slow to check, formats and remote references. Null when the result
 * is too large even without descriptions.
 */
export function cleanParameters(schema: unknown): JsonObject | null {
  if (isJsonObject(schema) && sizeOf(schema) > MAX_GIVEN_CHARS) return null;
  const full = new SchemaCopy(schema, true).parameters();
  if (sizeOf(full) <= MAX_CHARS) return full;
  const bare = new SchemaCopy(schema, false).parameters();
  return sizeOf(bare) <= MAX_CHARS ? bare : null;
}

function sizeOf(schema: JsonObject): number {
  try {
    return JSON.stringify(schema).length;
  } catch {
    // Nested too deeply for `JSON.stringify`. Only a schema from a server can be.
    return Infinity;
  }
}

class SchemaCopy {
  private nodes = 0;
  /** Names by `properties` object: references may lead to the same one from many nodes. */
  private readonly names = new Map<JsonObject, readonly string[]>();

  constructor(
    private readonly root: unknown,
    private readonly described: boolean,
  ) {}

  /** Vendors require an object without `anyOf` and the like at the top level. */
  parameters(): JsonObject {
    const { properties = {}, required, additionalProperties } = this.copy(this.root, 0, []);
    return {
      type: 'object',
      properties,
      ...(required === undefined ? {} : { required }),
      // Closed unless the schema says otherwise.
      additionalProperties: additionalProperties ?? false,
    };
  }

  private copy(node: unknown, depth: number, path: readonly string[]): Schema {
    if (!isJsonObject(node) || depth > MAX_DEPTH || this.nodes >= MAX_NODES) return {};
    this.nodes += 1;
    if (typeof node['$ref'] === 'string') return this.referred(node['$ref'], depth, path);
    return {
      ...typeOf(node),
      ...this.textOf(node),
      ...choicesOf(node),
      ...figuresOf(node),
      ...this.membersOf(node, depth, path),
      ...this.branchesOf(node, depth, path),
    };
  }

  private referred(reference: string, depth: number, path: readonly string[]): Schema {
    if (path.includes(reference)) return {};
    return this.copy(lookUp(this.root, reference), depth + 1, [...path, reference]);
  }

  private textOf({ description }: JsonObject): Schema {
    if (!this.described || typeof description !== 'string') return {};
    const text = cleanLine(description, DESCRIPTION_CHARS);
    return text === '' ? {} : { description: text };
  }

  private membersOf(node: JsonObject, depth: number, path: readonly string[]): Schema {
    const schema: Schema = {};
    const { properties, required, items, additionalProperties } = node;
    if (isJsonObject(properties)) {
      const kept = this.namesOf(properties);
      schema['properties'] = Object.fromEntries(
        kept.map((name) => [name, this.copy(properties[name], depth + 1, path)]),
      );
      const wanted = new Set<unknown>(Array.isArray(required) ? required.slice(0, MAX_REQUIRED) : []);
      const needed = kept.filter((name) => wanted.has(name));
      if (needed.length > 0) schema['required'] = needed;
    }
    if (isJsonObject(items)) schema['items'] = this.copy(items, depth + 1, path);
    if (typeof additionalProperties === 'boolean') schema['additionalProperties'] = additionalProperties;
    else if (isJsonObject(additionalProperties))
      schema['additionalProperties'] = this.copy(additionalProperties, depth + 1, path);
    return schema;
  }

  private namesOf(properties: JsonObject): readonly string[] {
    const known = this.names.get(properties);
    if (known !== undefined) return known;
    const names: string[] = [];
    for (const name of Object.keys(properties)) {
      if (names.length === MAX_PROPERTIES) break;
      if (PROPERTY.test(name) && !TRAPS.has(name)) names.push(name);
    }
    this.names.set(properties, names);
    return names;
  }

  private branchesOf(node: JsonObject, depth: number, path: readonly string[]): Schema {
    const schema: Schema = {};
    for (const keyword of BRANCHES) {
      const branches = node[keyword];
      if (!Array.isArray(branches) || branches.length === 0 || branches.length > MAX_BRANCHES) continue;
      schema[keyword] = branches.map((branch) => this.copy(branch, depth + 1, path));
    }
    return schema;
  }
}

/** A JSON Pointer into the schema itself (RFC 6901); undefined for everything else. */
function lookUp(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#/') || reference.length > 300) return undefined;
  let node = root;
  for (const token of reference.slice(2).split('/')) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isJsonObject(node) || !Object.hasOwn(node, name)) return undefined;
    node = node[name];
  }
  return node;
}

function typeOf({ type, nullable }: JsonObject): Schema {
  const listed: readonly unknown[] = Array.isArray(type) ? type.slice(0, MAX_TYPES) : [type];
  const types = [...new Set(listed)].filter((each) => TYPES.has(each));
  if (types.length === 0) return {};
  if (nullable === true && !types.includes('null')) types.push('null');
  return { type: types.length === 1 ? types[0] : types };
}

function choicesOf(node: JsonObject): Schema {
  const values: readonly unknown[] = Array.isArray(node['enum'])
    ? node['enum'].slice(0, MAX_CHOICES)
    : 'const' in node
      ? [node['const']]
      : [];
  const usable = [...new Set(values.filter(isChoice))];
  return usable.length === 0 ? {} : { enum: usable };
}

function isChoice(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= MAX_CHOICE_CHARS && value.isWellFormed();
  return value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
}

function figuresOf(node: JsonObject): Schema {
  const schema: Schema = {};
  for (const keyword of BOUNDS) if (Number.isFinite(node[keyword])) schema[keyword] = node[keyword];
  for (const keyword of COUNTS) {
    const value = node[keyword];
    if (Number.isSafeInteger(value) && Number(value) >= 0) schema[keyword] = value;
  }
  return schema;
}

/**
 * Control characters and invisible characters: format characters, direction marks, variation selectors and tags. They
 * can hide instructions from people who review the text.
 */
const UNSEEN = /\p{Cc}|\p{Cf}|\p{Co}|\p{Cn}|\p{Zl}|\p{Zp}|\p{Variation_Selector}|\p{Default_Ignorable_Code_Point}/gu;

/** One line of visible text from a text that somebody else wrote, at most `max` UTF-16 units. */
export function cleanLine(text: string, max: number): string {
  // Cuts first, so that the patterns never run over megabytes.
  const start = cutText(text, max * 4).toWellFormed();
  const visible = start.replace(UNSEEN, ' ').replaceAll(/\s+/g, ' ').trim();
  return visible.length <= max ? visible : `${cutText(visible, max - 1)}…`;
}

/** Bytes of one answer, streamed or not. */
const ANSWER_BYTES = 2 * 1024 * 1024;

interface GuardedFetch {
  readonly outbound: Pick<OutboundClient, 'dispatcher'>;
  /** The only host that is dialled. The check is needed because the SDK follows redirects within an origin. */
  readonly origin: URL;
  /** Called at the end of an answer's body, with the id of its JSON-RPC request and the failure, or null. */
  readonly onBodyEnd: (id: unknown, failure: Error | null) => void;
}

/**
 * `fetch` for the SDK's transport, over the outbound client, which checks the resolved address of every new socket.
 * Redirects are returned, not followed. GET gets 405: the SDK uses it for messages that the server pushes.
 */
function guardedFetch({ outbound, origin, onBodyEnd }: GuardedFetch) {
  return async (target: string | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(target);
    const method = init.method ?? 'GET';
    if (method === 'GET') return new Response(null, { status: 405 });
    if (url.hostname !== origin.hostname) throw new AppError('outbound_refused', 'The server names another host');
    try {
      const answer = await outbound.dispatcher(false).request({
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: { ...Object.fromEntries(new Headers(init.headers)), ...traceHeaders() },
        body: typeof init.body === 'string' ? init.body : null,
        signal: init.signal ?? null,
      });
      return responseOf(answer, (failure) => onBodyEnd(idIn(init.body), failure));
    } catch (error) {
      throw outboundFailure(error, { cancelled: init.signal?.aborted === true, timedOut: false });
    }
  };
}

/** Parsing is safe: the SDK serialized this body itself. */
function idIn(body: unknown): unknown {
  return typeof body === 'string' ? (JSON.parse(body) as { readonly id?: unknown }).id : undefined;
}

type OnEnd = (failure: Error | null) => void;

const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

function responseOf(answer: Dispatcher.ResponseData, onEnd: OnEnd): Response {
  const { statusCode: status, headers } = answer;
  const flat = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, [value].flat().join(', ')]],
  );
  const bodiless = BODILESS.has(status);
  if (bodiless) void answer.body.dump();
  const body = bodiless ? null : ReadableStream.from(bounded(answer.body, onEnd));
  return new Response(body, { status, headers: flat });
}

async function* bounded(body: AsyncIterable<Buffer>, onEnd: OnEnd): AsyncGenerator<Uint8Array> {
  let size = 0;
  let failure: Error | null = null;
  try {
    for await (const part of body) {
      size += part.length;
      if (size > ANSWER_BYTES) throw new AppError('upstream_bad_response', 'The server sent too much');
      yield new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
    }
  } catch (error) {
    failure = outboundFailure(error, { cancelled: false, timedOut: false });
    throw failure;
  } finally {
    onEnd(failure);
  }
}

export type Outbound = Pick<OutboundClient, 'dispatcher' | 'assertDialable'>;

/** The SDK's own timeout. The caller's signal usually ends a request earlier. */
const LONGEST_MS = 120_000;
/** Milliseconds after the end of a body in which the SDK may still parse an answer from it. */
const SETTLE_MS = 250;
/** Milliseconds for sending the cancellation and ending the session; then the sockets are closed. */
const FAREWELL_MS = 800;

/** Tells the MCP API of any Bellwether that an assistant asks. It then hides assistants that could call back. */
const HOP = { 'bellwether-hop': '1' } as const;

/** Requests that a server may send in one connection, pings included. */
const MAX_ASKED = 64;

interface Request {
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

interface Options {
  readonly signal: AbortSignal;
  readonly onprogress?: (progress: Progress) => void;
}

/**
 * Remembers the cancellation that it sends, so that `close` can wait for it. Sends no replies to requests of the server:
 * the client offers nothing, and a hostile server could cause any number of POSTs.
 */
class Transport extends StreamableHTTPClientTransport {
  farewell: Promise<unknown> = Promise.resolve();

  override send(message: JSONRPCMessage, options?: { resumptionToken?: string }): Promise<void> {
    if (!('method' in message)) return Promise.resolve();
    const sent = super.send(message, options);
    if (message.method === 'notifications/cancelled') this.farewell = sent.catch(() => undefined);
    return sent;
  }
}

/**
 * A connection to an MCP server for one call or one listing, so that callers share no state. The client offers the
 * server no capabilities: no sampling, no elicitation, no roots.
 */
export class ServerConnection {
  private readonly answered = new Set<unknown>();
  private requestsOfServer = 0;
  /** Rejects the current request. */
  private break: (failure: Error) => void = () => undefined;

  private constructor(
    private readonly client: Client,
    private readonly transport: Transport,
  ) {
    transport.onmessage = (message) => {
      if (!('id' in message)) return;
      if ('method' in message) this.asked();
      else this.answered.add(message.id);
    };
  }

  /** Connects, runs `work` and always closes. @throws AppError, the signal's reason, errors of `work` */
  static async with<T>(
    server: McpServerRuntime,
    outbound: Outbound,
    signal: AbortSignal,
    work: (connection: ServerConnection) => Promise<T>,
  ): Promise<T> {
    await outbound.assertDialable(server.url);
    signal.throwIfAborted();
    const connection = ServerConnection.to(server, outbound);
    try {
      await connection.open(signal);
      return await work(connection);
    } finally {
      void connection.close();
    }
  }

  private static to({ url, token }: McpServerRuntime, outbound: Outbound): ServerConnection {
    const origin = new URL(url);
    const transport: Transport = new Transport(origin, {
      fetch: guardedFetch({ outbound, origin, onBodyEnd: (id, failure) => connection.bodyEnded(id, failure) }),
      requestInit: { headers: { ...HOP, ...(token === null ? {} : { authorization: `Bearer ${token}` }) } },
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 1,
        maxReconnectionDelay: 1,
        reconnectionDelayGrowFactor: 1,
      },
    });
    const client = new Client({ name: 'bellwether', version: '1' }, { capabilities: {} });
    const connection = new ServerConnection(client, transport);
    return connection;
  }

  /** The members of the result, unchecked. @throws AppError, McpError for the server's own error, the signal's reason */
  request(request: Request, options: Options): Promise<JsonObject> {
    return this.unbroken(options, (within) => this.client.request(request, ResultSchema, within));
  }

  private open(signal: AbortSignal): Promise<void> {
    return this.unbroken({ signal }, (within) => this.client.connect(this.transport, within));
  }

  private async unbroken<T>({ signal, ...more }: Options, work: (options: RequestOptions) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    // A separate signal, because the SDK never removes its listeners.
    const controller = new AbortController();
    const stop = (): void => controller.abort('The call was cancelled');
    signal.addEventListener('abort', stop, { once: true });
    const broken = new Promise<never>((_, reject) => {
      this.break = reject;
    });
    try {
      return await Promise.race([work({ ...more, signal: controller.signal, timeout: LONGEST_MS }), broken]);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Rejects a request whose body ended without its answer: the SDK would wait on, and streams are not resumed here. */
  private bodyEnded(id: unknown, failure: Error | null): void {
    if (id === undefined) return;
    const without = failure ?? new AppError('upstream_bad_response', 'The server ended without an answer');
    setTimeout(() => {
      if (!this.answered.has(id)) this.break(without);
    }, SETTLE_MS).unref();
  }

  private asked(): void {
    this.requestsOfServer += 1;
    if (this.requestsOfServer <= MAX_ASKED) return;
    // Ignores messages that are already in the buffer.
    this.transport.onmessage = () => undefined;
    this.break(new AppError('upstream_bad_response', 'The server asks too much'));
    void this.client.close().catch(() => undefined);
  }

  private async close(): Promise<void> {
    const patience = new Promise((done) => setTimeout(done, FAREWELL_MS).unref());
    const farewell = async (): Promise<void> => {
      await this.transport.farewell;
      await this.transport.terminateSession();
    };
    await Promise.race([farewell().catch(() => undefined), patience]);
    await this.client.close().catch(() => undefined);
  }
}
