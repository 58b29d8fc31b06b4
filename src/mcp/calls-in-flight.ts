import { Injectable } from '@nestjs/common';
import type { Caller } from '../kernel';

type RequestId = string | number;

/** Who made a request: a session id is a client's own label and means nothing without the caller it came from. */
export interface McpClient {
  readonly caller: Pick<Caller, 'organizationId' | 'userId' | 'credentialId'>;
  /** From `Mcp-Session-Id`; '' for clients that send none. */
  readonly session: string;
}

const clientKey = ({ caller, session }: McpClient): string =>
  JSON.stringify([caller.organizationId, caller.userId, caller.credentialId, session]);

/**
 * What is being answered, so that a cancellation, which comes in a request of its own, finds it. This is the door's only
 * state; it lives as long as the call, and a client can reach its own calls alone.
 */
@Injectable()
export class CallsInFlight {
  private readonly clients = new Map<string, Map<RequestId, Set<() => void>>>();

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
    for (const stop of [...(this.clients.get(clientKey(client))?.get(request) ?? [])]) stop();
  }

  cancelAll(client: McpClient): void {
    const calls = [...(this.clients.get(clientKey(client))?.values() ?? [])];
    for (const stop of calls.flatMap((stops) => [...stops])) stop();
  }

  get size(): number {
    return [...this.clients.values()].reduce((sum, calls) => sum + calls.size, 0);
  }
}
