import { type Usage, addUsage } from './chat/chat';

/** Reasons of refusals that clients word themselves; docs/reference/errors.md lists them with their values. */
export const ERROR_REASONS = [
  'activity.agreement_changed',
  'activity.early',
  'activity.over',
  'activity.unread',
  'activity.window',
  'assistant.incomplete',
  'assistant.newest',
  'assistant.no_tests',
  'assistant.not_published',
  'assistant.owner_only',
  'assistant.tests_not_passed',
  'assistant.use_only',
  'batch.busy',
  'batch.dry_run_busy',
  'batch.finished',
  'connection.too_many_tests',
  'conversation.full',
  'conversation.pictures',
  'document.name_taken',
  'document.not_failed',
  'document.not_waiting',
  'file.too_large',
  'file.unreadable',
  'files.too_large',
  'files.too_many',
  'grade.not_offered',
  'grade.sent',
  'group.external_id',
  'group.from_directory',
  'group.managers_only',
  'group.named_by_directory',
  'insights.no_embedding',
  'invitation.no_mail',
  'invitation.too_many',
  'join.expired',
  'join.revoked',
  'join.spent',
  'key.cannot_sign_in',
  'key.others',
  'key.restricted',
  'knowledge_base.owner_only',
  'limit.reached',
  'link.needs_sign_in',
  'link.too_many',
  'member.by_institution',
  'member.disabled',
  'member.last_owner',
  'member.last_system_admin',
  'mode.model_mismatch',
  'organization.ended',
  'organization.erasing',
  'organization.not_ended',
  'organization.operators',
  'person.confirm_yourself',
  'question.too_long',
  'replay.gone',
  'replay.not_kept',
  'role.admin',
  'role.needed',
  'role.owner',
  'role.system_admin',
  'roster.not_offered',
  'rubric.owner_only',
  'run.going',
  'run.not_ended',
  'scim_token.too_many',
  'scope.needed',
  'sign_in.too_many',
  'source.too_many',
  'storage.full',
  'template.built_in',
  'template.owner_only',
] as const;

/** Codes of `extraction` are reasons, too: why a document cannot be read. */
export type ErrorReason = (typeof ERROR_REASONS)[number] | `document.${string}`;

/**
 * Error codes that can leave the service; docs/reference/errors.md explains each. `infrastructure/http` maps each to a
 * status.
 */
export const ERROR_CODES = [
  'bad_request',
  'malformed_json',
  'body_too_complex',
  'validation_failed',
  'definition_refused',
  'unauthenticated',
  'forbidden',
  'feature_disabled',
  'organization_ended',
  'not_found',
  'model_not_found',
  'method_not_allowed',
  'conflict',
  'conversation_busy',
  'idempotency_in_progress',
  'idempotency_mismatch',
  'link_expired',
  'activity_closed',
  'agreement_required',
  'embedding_model_mismatch',
  'precondition_failed',
  'precondition_required',
  'payload_too_large',
  'unsupported_media_type',
  'unsupported_content',
  'too_many_requests',
  'rate_limited',
  'quota_exceeded',
  'storage_limit_reached',
  'outbound_refused',
  'tool_failed',
  'tool_loop.limit',
  'tool_loop.timeout',
  'connector_not_configured',
  'secret_unavailable',
  'upstream_rejected',
  'upstream_rate_limited',
  'upstream_auth',
  'upstream_error',
  'upstream_truncated',
  'upstream_bad_response',
  'upstream_timeout',
  'cancelled',
  'overloaded',
  'server_shutdown',
  'worker_lost',
  'run_ended',
  'unavailable',
  'insufficient_storage',
  'internal_error',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

export type ReasonValues = Readonly<Record<string, string | number>>;

/** One thing wrong with the input; `path` is a JSON path such as `metadata.tools[1].config.top_k` ('' for the whole body). */
export interface Problem {
  readonly path: string;
  readonly message: string;
  /** Stable code, with which a client words the problem itself, e.g. `tool.unknown`. */
  readonly code?: string;
  /** Values that the message of `code` names, e.g. `{ host: '127.0.0.1' }`. */
  readonly values?: ReasonValues;
}

/** Failed answer of a vendor; for editors of the assistant, not for clients. */
export interface VendorFailure {
  /** HTTP status; null when there was no answer. */
  readonly status: number | null;
  /** Message of the vendor, cut and without credentials. */
  readonly message: string | null;
  /** The vendor's id of the request; null when it gave none. */
  readonly request_id: string | null;
  /** Tries after the first. */
  readonly retries: number;
}

export interface AppErrorOptions {
  readonly vendor?: VendorFailure | undefined;
  readonly problems?: readonly Problem[];
  /** Why exactly, for a client that words it itself; `values` are those of its text. */
  readonly reason?: ErrorReason;
  readonly values?: ReasonValues;
  /** Seconds for the `Retry-After` header. */
  readonly retryAfter?: number;
  readonly cause?: unknown;
  /** Tokens spent before the failure. */
  readonly usage?: Usage | null;
}

/** The only error that carries a message meant for clients. `detail` must never hold secrets, SQL or upstream bodies. */
export class AppError extends Error {
  readonly problems: readonly Problem[];
  readonly reason: ErrorReason | undefined;
  readonly values: ReasonValues | undefined;
  readonly retryAfter: number | undefined;
  readonly vendor: VendorFailure | undefined;
  /** Tokens spent before the failure. */
  usage: Usage | null;

  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    options: AppErrorOptions = {},
  ) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.problems = options.problems ?? [];
    this.reason = options.reason;
    this.values = options.values;
    this.retryAfter = options.retryAfter;
    this.vendor = options.vendor;
    this.usage = options.usage ?? null;
  }
}

/** The error of a later step, with the tokens that earlier steps spent. */
export function withSpent(error: unknown, usage: Usage | null): unknown {
  if (error instanceof AppError) error.usage = addUsage(error.usage, usage);
  return error;
}

/** Stops a start or a command, with one sentence that says what the operator can do; shown without a stack. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
}

/** Objects of another organization look missing on purpose. */
export const notFound = (what: string): AppError => new AppError('not_found', `${what} not found`);

/** A row that was looked for. @throws {AppError} `not_found` for null */
export function existing<T>(row: T | null, what: string): T {
  if (row === null) throw notFound(what);
  return row;
}

export const invalid = (problems: readonly Problem[], detail = 'The request is not valid'): AppError =>
  new AppError('validation_failed', detail, { problems });

/** The result of the work; null when it fails with this code. */
export async function orNull<T>(code: ErrorCode, work: () => T | Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.code === code) return null;
    throw error;
  }
}
