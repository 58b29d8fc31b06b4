import { AppError } from '../../kernel';
import type { OutboundClient, OutboundRequest, OutboundResponse } from '../../infrastructure/outbound';
import type { Issuer } from './issuer.types';

const TIMEOUT_MS = 8_000;
const MAX_BYTES = 512 * 1_024;

export type ProviderRequest = Pick<OutboundRequest, 'url' | 'method' | 'headers' | 'body'>;

/**
 * Asks a provider. The operator's trust ends at the origin of the issuer: a metadata document may name any other address.
 * A GET is repeated once, because the first call after a restart of the provider meets a stale connection.
 */
export async function askProvider(
  outbound: OutboundClient,
  { url: issuer, trusted }: Pick<Issuer, 'url' | 'trusted'>,
  request: ProviderRequest,
): Promise<OutboundResponse> {
  const isTrusted = trusted && URL.canParse(request.url) && new URL(request.url).origin === new URL(issuer).origin;
  const ask = (): Promise<OutboundResponse> =>
    outbound.request({ ...request, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, trusted: isTrusted });
  const answer = await ask().catch((error: unknown) => {
    const isRepeatable =
      (request.method ?? 'GET') === 'GET' && error instanceof AppError && error.code === 'upstream_error';
    if (!isRepeatable) throw error;
    return ask();
  });
  if (answer.status >= 500) throw new AppError('upstream_error', `The sign-in service answered ${answer.status}`);
  return answer;
}
