import { AppError, type JsonObject, isJsonObject } from '@bellwether/kernel';
import { createHash } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { OutboundClient } from '../../../infrastructure/outbound';
import type { McpServerRuntime } from '../../../organizations';
import { type FunctionDeclaration, ToolFailure } from '../../contract';
import { cleanLine, cleanParameters } from './clean-declaration';
import type { Outbound, ServerConnection } from './server-connection';

/** Connects as `ServerConnection.with`. The first call loads the SDK, whose 11 MB most installations never need. */
export async function connected<T>(...given: Parameters<typeof ServerConnection.with<T>>): Promise<T> {
  const { ServerConnection } = await import('./server-connection.js');
  return ServerConnection.with(...given);
}

/** Asks an MCP server once whether address and token are right. */
@Injectable()
export class McpProbe {
  constructor(@Inject(OutboundClient) private readonly outbound: Outbound) {}

  /** Names of the tools that assistants could use. @throws {AppError} */
  async tools(server: McpServerRuntime, signal: AbortSignal): Promise<readonly string[]> {
    const deadline = AbortSignal.timeout(LISTING_MS);
    const both = AbortSignal.any([signal, deadline]);
    try {
      const listed = await connected(server, this.outbound, both, (connection) => pagesOf(connection, both));
      return readTools(server.name, listed).map(({ name }) => name);
    } catch (error) {
      throw failureOf(error, { cancelled: signal.aborted, timedOut: deadline.aborted });
    }
  }
}

function statusOf(error: unknown): number | null {
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'number' && code >= 100 && code < 600 ? code : null;
}

/** The SDK's errors have the HTTP status, or a negative code of JSON-RPC, in `code`. */
function failureOf(error: unknown, { cancelled, timedOut }: { cancelled: boolean; timedOut: boolean }): AppError {
  if (cancelled) return new AppError('cancelled', 'The request was cancelled', { cause: error });
  if (timedOut) return new AppError('upstream_timeout', 'The server did not answer in time', { cause: error });
  if (error instanceof AppError) return error;
  const status = statusOf(error);
  const options = { vendor: { status, message: null, request_id: null, retries: 0 }, cause: error };
  if (status === 401 || status === 403) return new AppError('upstream_auth', 'The server refused its token', options);
  if (status === null) return new AppError('upstream_bad_response', 'The answer is not that of an MCP server', options);
  return new AppError('upstream_error', `The server answered ${status}`, options);
}

/** Milliseconds that a list of tools is cached. */
const FRESH_MS = 60_000;
/** Milliseconds that a failure is cached, so that not every run waits for a dead server. */
const FAILED_MS = 15_000;
const LISTING_MS = 5_000;
const MAX_PAGES = 5;
const MAX_TOOLS = 128;
/** UTF-16 units of declarations: of one server, and of the whole cache. */
const MAX_CHARS = 250_000;
const CACHE_CHARS = 16_000_000;

interface Listing {
  /** null: the server could not be asked. */
  readonly tools: readonly RemoteTool[] | null;
  readonly chars: number;
}

const FAILED: Listing = { tools: null, chars: 1 };

/** The tool list of each server, cached for a short time per organization, address and token. */
@Injectable()
export class ToolListings {
  private readonly logger = new Logger(ToolListings.name);
  private readonly listings = new LRUCache<string, Listing>({
    maxSize: CACHE_CHARS,
    sizeCalculation: ({ chars }) => Math.max(1, chars),
  });
  private readonly loading = new Map<string, Promise<Listing>>();

  constructor(@Inject(OutboundClient) private readonly outbound: Outbound) {}

  /** @throws ToolFailure when the server cannot be asked; the signal's reason */
  async toolsOf(organizationId: string, server: McpServerRuntime, signal: AbortSignal): Promise<readonly RemoteTool[]> {
    signal.throwIfAborted();
    const { tools } = await unlessAborted(this.listing(keyOf(organizationId, server), server), signal);
    if (tools === null) throw new ToolFailure('tool.failed', `the server ${server.name} cannot be reached now`);
    return tools;
  }

  private listing(key: string, server: McpServerRuntime): Promise<Listing> {
    const known = this.listings.get(key);
    if (known !== undefined) return Promise.resolve(known);
    const running = this.loading.get(key);
    if (running !== undefined) return running;
    // Several runs wait for one listing, so the signal of a single run does not cancel it.
    const load = this.load(server)
      .then((listing) => {
        this.listings.set(key, listing, { ttl: listing.tools === null ? FAILED_MS : FRESH_MS });
        return listing;
      })
      .finally(() => this.loading.delete(key));
    this.loading.set(key, load);
    return load;
  }

  private async load(server: McpServerRuntime): Promise<Listing> {
    const signal = AbortSignal.timeout(LISTING_MS);
    try {
      const listed = await connected(server, this.outbound, signal, (connection) => pagesOf(connection, signal));
      return bounded(readTools(server.name, listed));
    } catch (error) {
      // Logs no message: it may quote the server.
      const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
      this.logger.warn({ msg: 'an MCP server could not be listed', server: server.name, code });
      return FAILED;
    }
  }
}

/** Includes the token, because servers may list other tools for other tokens; hashed, because it is a secret. */
const keyOf = (organizationId: string, { name, url, token }: McpServerRuntime): string =>
  JSON.stringify([
    organizationId,
    name,
    url,
    createHash('sha256')
      .update(token ?? '')
      .digest('base64'),
  ]);

/** Tools as the server lists them, at most `MAX_TOOLS`. */
async function pagesOf(connection: ServerConnection, signal: AbortSignal): Promise<unknown[]> {
  const listed: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && listed.length < MAX_TOOLS; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await connection.request({ method: 'tools/list', params }, { signal });
    if (Array.isArray(tools)) listed.push(...(tools as unknown[]).slice(0, MAX_TOOLS));
    if (typeof nextCursor !== 'string' || nextCursor === cursor) break;
    cursor = nextCursor;
  }
  return listed.slice(0, MAX_TOOLS);
}

function bounded(tools: readonly RemoteTool[]): Listing {
  let chars = 0;
  const kept: RemoteTool[] = [];
  for (const tool of tools) {
    const size = JSON.stringify(tool).length;
    if (chars + size > MAX_CHARS) break;
    chars += size;
    kept.push(tool);
  }
  return { tools: kept, chars };
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** A tool of a server, as declared to the model. */
export interface RemoteTool {
  /** The server's own name for it. */
  readonly name: string;
  readonly declaration: FunctionDeclaration;
}

/** OpenAI API reference, "function": `name`. */
const NAME_CHARS = 64;
const HASH_CHARS = 8;
/** MCP specification, "Tool Names". */
const TOOL_NAME_CHARS = 128;
const DESCRIPTION_CHARS = 600;

/**
 * `mcp_{server}_{tool}`, unique per server and tool. Names that vendors refuse are shortened and end in a hash of the
 * original. Server names hold no underscore, so names of two servers never collide.
 */
export function functionName(server: string, tool: string): string {
  const prefix = `mcp_${server}_`;
  const plain = tool.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  if (plain === tool && prefix.length + tool.length <= NAME_CHARS) return prefix + tool;
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, HASH_CHARS);
  return `${prefix}${plain.slice(0, NAME_CHARS - prefix.length - HASH_CHARS - 1)}_${hash}`;
}

/** The tools of a server's `tools/list`, cleaned; malformed, unusable and repeated ones are left out. */
export function readTools(server: string, listed: readonly unknown[]): RemoteTool[] {
  const tools = new Map<string, RemoteTool>();
  for (const each of listed) {
    const tool = readTool(server, each);
    if (tool !== null && !tools.has(tool.declaration.name)) tools.set(tool.declaration.name, tool);
  }
  return [...tools.values()];
}

function readTool(server: string, listed: unknown): RemoteTool | null {
  const { name, description, inputSchema }: JsonObject = isJsonObject(listed) ? listed : {};
  if (typeof name !== 'string' || name === '' || name.length > TOOL_NAME_CHARS || !name.isWellFormed()) return null;
  const parameters = cleanParameters(inputSchema);
  if (parameters === null) return null;
  const text = typeof description === 'string' ? cleanLine(description, DESCRIPTION_CHARS) : '';
  return {
    name,
    declaration: {
      name: functionName(server, name),
      // Attributes the text to the server, because the model must not take it for our instructions.
      description: `Tool of the external server "${server}". Its own description: ${text === '' ? 'none' : text}`,
      parameters,
    },
  };
}
