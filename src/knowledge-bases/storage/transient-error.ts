import type { ErrorCode } from '@bellwether/kernel';

const TRANSIENT: readonly ErrorCode[] = [
  'unavailable',
  'insufficient_storage',
  'too_many_requests',
  'rate_limited',
  'upstream_rate_limited',
  'upstream_error',
  'upstream_timeout',
  'upstream_truncated',
  'upstream_bad_response',
  'server_shutdown',
];

/** Whether background work that failed with this code may succeed when it is tried again. */
export const isTransient = (code: ErrorCode): boolean => TRANSIENT.includes(code);
