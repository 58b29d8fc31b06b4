import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel';
import type { McpServerRuntime } from '../../../organizations';
import { OutboundClient } from '../../../infrastructure/outbound';
import { readTools } from './remote-tools';
import { type Outbound, ServerConnection } from './server-connection';
import { LISTING_MS, pagesOf } from './tool-listings';

/** Asks an MCP server once whether address and token are right. */
@Injectable()
export class McpProbe {
  constructor(@Inject(OutboundClient) private readonly outbound: Outbound) {}

  /** Names of the tools that assistants could use. @throws {AppError} */
  async tools(server: McpServerRuntime, signal: AbortSignal): Promise<readonly string[]> {
    const deadline = AbortSignal.timeout(LISTING_MS);
    const both = AbortSignal.any([signal, deadline]);
    try {
      const listed = await ServerConnection.with(server, this.outbound, both, (connection) =>
        pagesOf(connection, both),
      );
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
