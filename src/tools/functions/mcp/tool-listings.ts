import { createHash } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { McpServerRuntime } from '../../../organizations';
import { OutboundClient } from '../../../infrastructure/outbound';
import { ToolFailure } from '../../contract';
import { readTools, type RemoteTool } from './remote-tools';
import { type Outbound, ServerConnection } from './server-connection';

/** Milliseconds that a list of tools is cached. */
const FRESH_MS = 60_000;
/** Milliseconds that a failure is cached, so that not every run waits for a dead server. */
const FAILED_MS = 15_000;
export const LISTING_MS = 5_000;
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
      const listed = await ServerConnection.with(server, this.outbound, signal, (connection) =>
        pagesOf(connection, signal),
      );
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
export async function pagesOf(connection: ServerConnection, signal: AbortSignal): Promise<unknown[]> {
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
