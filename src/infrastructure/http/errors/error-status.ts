import type { ErrorCode } from '../../../kernel';

/** HTTP status (RFC 9110) and title of every code. 499 is nginx's "client closed request". */
const ERRORS: Readonly<Record<ErrorCode, readonly [status: number, title: string]>> = {
  bad_request: [400, 'Bad request'],
  malformed_json: [400, 'Malformed JSON'],
  body_too_complex: [400, 'Body too complex'],
  validation_failed: [400, 'Validation failed'],
  definition_refused: [422, 'Definition refused'],
  unauthenticated: [401, 'Not authenticated'],
  forbidden: [403, 'Forbidden'],
  feature_disabled: [403, 'Feature disabled'],
  organization_ended: [403, 'Organization ended'],
  not_found: [404, 'Not found'],
  model_not_found: [404, 'Model not found'],
  method_not_allowed: [405, 'Method not allowed'],
  conflict: [409, 'Conflict'],
  conversation_busy: [409, 'Answer not finished'],
  idempotency_in_progress: [409, 'Request in progress'],
  idempotency_mismatch: [422, 'Idempotency key reused'],
  link_expired: [410, 'Link expired'],
  activity_closed: [403, 'Activity closed'],
  agreement_required: [403, 'Agreement required'],
  embedding_model_mismatch: [422, 'Another embedding model'],
  precondition_failed: [412, 'Stale version'],
  precondition_required: [428, 'Version required'],
  payload_too_large: [413, 'Payload too large'],
  unsupported_media_type: [415, 'Unsupported media type'],
  unsupported_content: [400, 'Unsupported content'],
  too_many_requests: [429, 'Too many requests'],
  rate_limited: [429, 'Rate limited'],
  quota_exceeded: [429, 'Quota exceeded'],
  // No 429: waiting frees no bytes.
  storage_limit_reached: [413, 'Storage limit reached'],
  outbound_refused: [400, 'Address refused'],
  tool_failed: [502, 'Tool failed'],
  // No 5xx: clients retry those by themselves, and with them every call of every round.
  'tool_loop.limit': [422, 'Too many function calls'],
  'tool_loop.timeout': [422, 'Functions took too long'],
  connector_not_configured: [503, 'Connector not configured'],
  secret_unavailable: [503, 'Secret unavailable'],
  upstream_rejected: [400, 'Rejected by the model vendor'],
  upstream_rate_limited: [429, 'Rate limited by the model vendor'],
  upstream_auth: [502, 'Refused by the model vendor'],
  upstream_error: [502, 'Model vendor failed'],
  upstream_truncated: [502, 'Answer cut short'],
  upstream_bad_response: [502, 'Unusable answer from the model vendor'],
  upstream_timeout: [504, 'Model vendor too slow'],
  cancelled: [499, 'Cancelled'],
  // Not 429: a load balancer may try another process.
  overloaded: [503, 'Overloaded'],
  server_shutdown: [503, 'Server shutting down'],
  worker_lost: [500, 'The run was lost'],
  run_ended: [409, 'The run has ended'],
  unavailable: [503, 'Unavailable'],
  insufficient_storage: [507, 'Insufficient storage'],
  internal_error: [500, 'Internal error'],
};

const column = <Index extends 0 | 1>(index: Index) =>
  Object.fromEntries(Object.entries(ERRORS).map(([code, row]) => [code, row[index]])) as Readonly<
    Record<ErrorCode, (typeof ERRORS)[ErrorCode][Index]>
  >;

export const ERROR_STATUS = column(0);
export const ERROR_TITLES = column(1);
