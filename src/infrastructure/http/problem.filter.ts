import type { AppError, ErrorCode } from '@bellwether/kernel';
import { type ArgumentsHost, Catch, type ExceptionFilter, Inject, Logger, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { Response } from 'express';
import { loggedPath } from '../telemetry';
import { describeErrors } from './errors/describe-errors.decorator';
import { OpenAiErrorDto } from './errors/problem.dto';
import { SCIM_MEDIA_TYPE, scimError } from './errors/scim-error';
import { ERROR_STATUS, ERROR_TITLES, toAppError } from './errors/to-app-error';
import type { RefusedRequests } from './http.metrics';
import type { BellwetherRequest } from './routes/access.decorator';

/** OpenAI's error object (API reference, "Error codes"). */
export interface OpenAiErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
  };
}

const TYPES: Partial<Record<ErrorCode, string>> = {
  unauthenticated: 'authentication_error',
  forbidden: 'permission_error',
  feature_disabled: 'permission_error',
  too_many_requests: 'rate_limit_error',
  rate_limited: 'rate_limit_error',
  quota_exceeded: 'insufficient_quota',
  upstream_rate_limited: 'rate_limit_error',
};

function typeOf(code: ErrorCode): string {
  return TYPES[code] ?? (ERROR_STATUS[code] < 500 ? 'invalid_request_error' : 'server_error');
}

/** Joins all problems: OpenAI's shape has one text only. */
function messageOf(error: AppError): string {
  if (error.problems.length === 0) return error.detail;
  const problems = error.problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return `${error.detail}: ${problems.join('; ')}`;
}

/** Body of an answer, and of the last `data:` frame of a stream. */
export const openAiError = (error: AppError, code: string = error.code): OpenAiErrorBody => ({
  error: { message: messageOf(error), type: typeOf(error.code), param: error.problems[0]?.path ?? null, code },
});

const ERROR_SHAPE_METADATA = 'bellwether:error-shape';

/** Answers errors of this controller in OpenAI's shape instead of problem+json, and documents it. */
export const OpenAiErrors = (): ClassDecorator => (controller) => {
  SetMetadata(ERROR_SHAPE_METADATA, 'openai')(controller);
  const described = describeErrors('application/json', OpenAiErrorDto);
  const { prototype } = controller as { readonly prototype?: object };
  for (const [name, method] of Object.entries(Object.getOwnPropertyDescriptors(prototype ?? {}))) {
    // Class decorators run after method decorators, so this replaces the documentation of the routes.
    if (name !== 'constructor' && typeof method.value === 'function') described(controller, name, method);
  }
};

const SCIM_PATH = /^\/scim(\/|$)/i;

/** Routes for directories, with credentials and errors of their own. */
export const isScimPath = (path: string): boolean => SCIM_PATH.test(path);

/** Problems that one answer lists. */
const MAX_PROBLEMS = 100;

const problemDetails = (error: AppError, requestId: string): object => ({
  type: `urn:bellwether:error:${error.code}`,
  title: ERROR_TITLES[error.code],
  status: ERROR_STATUS[error.code],
  code: error.code,
  detail:
    error.problems.length > MAX_PROBLEMS
      ? `${error.detail} (${error.problems.length} problems, the first ${MAX_PROBLEMS} listed)`
      : error.detail,
  ...(error.problems.length > 0 ? { errors: error.problems.slice(0, MAX_PROBLEMS) } : {}),
  ...(error.reason === undefined ? {} : { reason: error.reason, values: error.values ?? {} }),
  request_id: requestId,
});

/** Clients of these paths expect OpenAI's error object even without a handler. */
const OPENAI_PATHS = /^\/(?:(v1|lamb)(\/|$)|(models|chat\/completions)\/?$)/;

/** Codes of requests that were not even tried: for rights, limits, an overload or a shutdown. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  'unauthenticated',
  'forbidden',
  'feature_disabled',
  'organization_ended',
  'too_many_requests',
  'rate_limited',
  'quota_exceeded',
  'storage_limit_reached',
  'overloaded',
  'server_shutdown',
]);

/** An overload may refuse thousands of requests a second, an outage may fail them: log some of them. */
const OVERLOAD = { lines: 10, windowMs: 1_000 };
const OUTAGE = { lines: 1, windowMs: 60_000 };
/** Codes of known outages: the stack would tell nothing that the cause does not. */
const OUTAGES: ReadonlySet<ErrorCode> = new Set(['unavailable', 'insufficient_storage']);
const MOST_KINDS = 100;

/** Lines of one kind within a window of time. */
interface LoggedKind {
  since: number;
  lines: number;
  suppressed: number;
}

interface FailedRequest {
  readonly request: BellwetherRequest;
  readonly response: Response;
  /** OpenAI's error object instead of problem+json. */
  readonly inOpenAiShape: boolean;
}

/** Answers every error: details of an `AppError` for the client, the cause for the log. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Http');
  private readonly kinds = new Map<string, LoggedKind>();

  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    private readonly refused: RefusedRequests | null = null,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<BellwetherRequest>();
    const response = host.switchToHttp().getResponse<Response>();
    this.answer(thrown, { request, response, inOpenAiShape: this.speaksOpenAi(host, request) });
  }

  answer(thrown: unknown, { request, response, inOpenAiShape }: FailedRequest): void {
    const error = toAppError(thrown);
    if (REFUSALS.has(error.code)) this.logRefusal(error, request);
    else if (OUTAGES.has(error.code)) this.logOutage(error, thrown, request);
    else if (ERROR_STATUS[error.code] >= 500) this.log(error, thrown, request);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const requestId = typeof request.id === 'string' ? request.id : '';
    if (error.retryAfter !== undefined) response.setHeader('Retry-After', String(Math.ceil(error.retryAfter)));
    if (error.code === 'unauthenticated') response.setHeader('WWW-Authenticate', 'Bearer');
    response.status(ERROR_STATUS[error.code]);
    if (isScimPath(request.path)) response.type(SCIM_MEDIA_TYPE).send(JSON.stringify(scimError(error)));
    else if (inOpenAiShape) response.json(openAiError(error));
    else response.type('application/problem+json').send(JSON.stringify(problemDetails(error, requestId)));
  }

  private speaksOpenAi(host: ArgumentsHost, request: BellwetherRequest): boolean {
    if (host instanceof ExecutionContextHost) {
      const targets = [host.getHandler(), host.getClass()].filter((target) => target !== null && target !== undefined);
      if (targets.length > 0 && this.reflector.getAllAndOverride(ERROR_SHAPE_METADATA, targets) === 'openai')
        return true;
    }
    return OPENAI_PATHS.test(request.path);
  }

  /** Pages ask who is signed in without any credential, which is no refusal to look at. */
  private logRefusal({ code }: AppError, request: BellwetherRequest): void {
    const { authorization, cookie, 'x-api-key': apiKey } = request.headers;
    this.refused?.at(code).inc();
    const suppressed = code === 'overloaded' ? this.suppressed(code, OVERLOAD) : undefined;
    if (suppressed === null) return;
    const isAnonymous = code === 'unauthenticated' && !authorization && !cookie && !apiKey;
    this.logger[isAnonymous ? 'debug' : 'log']({
      msg: 'request refused',
      request_id: request.id,
      organization_id: request.caller?.organizationId,
      code,
      status: ERROR_STATUS[code],
      method: request.method,
      path: loggedPath(request.path),
      suppressed,
    });
  }

  /** Requests of this kind without a line since the last logged one; null once this window has its lines. */
  private suppressed(kind: string, { lines, windowMs }: typeof OUTAGE): number | null {
    const now = performance.now();
    if (this.kinds.size >= MOST_KINDS) this.kinds.clear();
    const logged = this.kinds.get(kind) ?? { since: now, lines: 0, suppressed: 0 };
    this.kinds.set(kind, logged);
    if (now - logged.since >= windowMs) Object.assign(logged, { since: now, lines: 0 });
    logged.lines += 1;
    if (logged.lines > lines) {
      logged.suppressed += 1;
      return null;
    }
    const { suppressed } = logged;
    logged.suppressed = 0;
    return suppressed;
  }

  private logOutage(error: AppError, thrown: unknown, request: BellwetherRequest): void {
    const cause = error.cause ?? thrown;
    const { message = '', code = '' } = cause instanceof Error ? (cause as Error & { code?: unknown }) : {};
    const suppressed = this.suppressed([error.code, error.detail, String(code)].join('\n'), OUTAGE);
    if (suppressed === null) return;
    this.logger.error({
      msg: 'request failed',
      request_id: request.id,
      code: error.code,
      path: loggedPath(request.path),
      cause: [code, message].filter((word) => word !== '').join(' '),
      suppressed,
    });
  }

  private log(error: AppError, thrown: unknown, request: BellwetherRequest): void {
    const cause = thrown instanceof Error ? (thrown.stack ?? thrown.message) : typeof thrown;
    this.logger.error({
      msg: 'request failed',
      request_id: request.id,
      code: error.code,
      path: loggedPath(request.path),
      cause,
    });
  }
}
