import { AppError, type ErrorCode } from '../../../kernel';

const REASONS: Partial<Record<ErrorCode, string>> = {
  connector_not_configured: 'is not set up in this organization',
  outbound_refused: 'has an address that this service may not reach',
  secret_unavailable: 'has a key that cannot be read now',
  upstream_auth: 'refused its key',
  upstream_bad_response: 'gave an unusable answer',
  upstream_error: 'could not be reached or failed',
  upstream_rate_limited: 'is too busy',
  upstream_rejected: 'refused the request',
  upstream_timeout: 'took too long',
  quota_exceeded: 'was not asked because a limit of use is reached',
};

/** Reason why the reranker did not sort, for a warning; null for a defect of this service. */
export const rerankFailure = (error: unknown): string | null =>
  error instanceof AppError ? (REASONS[error.code] ?? 'failed') : null;

export const rerankWarning = (why: string): string =>
  `The reranker ${why}: the passages stay in the order in which the search found them`;
