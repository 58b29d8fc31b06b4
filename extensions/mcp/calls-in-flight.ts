import { Injectable } from '@nestjs/common';
import { type Caller, isJsonObject } from '../../src/kernel';
import { Signals } from '../../src/infrastructure/signals';

/** Between replicas; payload: a client's key and, unless all of its calls end, the id of a request. */
const CANCEL = 'mcp.cancel';

type RequestId = string | number;

/** The client of a request: a session id is a client's own label and means nothing without the caller it came from. */
export interface McpClient {
  readonly caller: Pick<Caller, 'organizationId' | 'userId' | 'credentialId'>;
  /** From `Mcp-Session-Id`; '' for clients that send none. */
  readonly session: string;
}

const clientKey = ({ caller, session }: McpClient): string =>
  JSON.stringify([caller.organizationId, caller.userId, caller.credentialId, session]);

/**
 * Calls that are being answered, so that a cancellation, which is a request of its own, finds them on any replica. This is
 * the only state of the MCP door. A client can cancel its own calls only.
 */
@Injectable()
export class CallsInFlight {
  private readonly clients = new Map<string, Map<RequestId, Set<() => void>>>();

  constructor(private readonly signals: Signals) {
    signals.on(CANCEL, (payload) => this.heard(payload));
  }

  /** Returns what to call when the answer has ended. */
  enter(client: McpClient, request: RequestId, stop: () => void): () => void {
    const key = clientKey(client);
    const calls = this.clients.get(key) ?? new Map<RequestId, Set<() => void>>();
    this.clients.set(key, calls);
    const stops = calls.get(request) ?? new Set();
    calls.set(request, stops.add(stop));
    return () => {
      stops.delete(stop);
      if (stops.size === 0 && calls.get(request) === stops) calls.delete(request);
      if (calls.size === 0 && this.clients.get(key) === calls) this.clients.delete(key);
    };
  }

  cancel(client: McpClient, request: RequestId): void {
    this.signals.publish(CANCEL, JSON.stringify({ client: clientKey(client), request }));
  }

  cancelAll(client: McpClient): void {
    this.signals.publish(CANCEL, JSON.stringify({ client: clientKey(client) }));
  }

  private heard(payload: string): void {
    const said: unknown = JSON.parse(payload);
    if (!isJsonObject(said)) return;
    const calls = this.clients.get(String(said['client']));
    if (calls === undefined) return;
    const ended = 'request' in said ? [calls.get(said['request'] as RequestId) ?? new Set()] : [...calls.values()];
    for (const stop of ended.flatMap((stops) => [...stops])) stop();
  }

  get size(): number {
    return [...this.clients.values()].reduce((sum, calls) => sum + calls.size, 0);
  }
}
