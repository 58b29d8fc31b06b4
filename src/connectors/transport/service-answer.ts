import type { ErrorCode } from '@bellwether/kernel';

/** Null for text that is no JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The problem of an answer that is no success. */
export function codeOfStatus(status: number): ErrorCode {
  if (status === 401 || status === 403) return 'upstream_auth';
  if (status === 429) return 'upstream_rate_limited';
  if (status >= 500 || status === 408) return 'upstream_error';
  return status >= 400 ? 'upstream_rejected' : 'upstream_bad_response';
}
