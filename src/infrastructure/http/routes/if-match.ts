import { AppError, type Caller, staleVersion } from '@bellwether/kernel';
import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  UseInterceptors,
  createParamDecorator,
} from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { type Observable, tap } from 'rxjs';
import { ERRORS } from '../errors/describe-errors.decorator';
import { callerOf, documented } from './access.decorator';

interface Versioned {
  readonly version: number;
}

/** The answer also depends on the caller and on data without a version: it is never cached. */
class VersionTag implements NestInterceptor<Versioned, Versioned> {
  intercept(context: ExecutionContext, next: CallHandler<Versioned>): Observable<Versioned> {
    const http = context.switchToHttp();
    const response = http.getResponse<Response>();
    // A 304 would hide changes of data without a version.
    delete http.getRequest<Request>().headers['if-none-match'];
    return next
      .handle()
      .pipe(tap(({ version }) => response.set({ etag: `"${version}"`, 'cache-control': 'no-store' })));
  }
}

/** Sends the `version` of the answer as `ETag`, for `If-Match`. */
export const TagsVersion = (): MethodDecorator => UseInterceptors(new VersionTag());

const ENTITY_TAG = /^(?:W\/)?"?(\d{1,9})"?$/;

/** Whether browser sessions must send the version that a change is based on. */
type Demand = 'demanded' | 'welcome';

/**
 * The version of an entity tag (RFC 9110 §13.1.1); null for any.
 * @throws {AppError} `precondition_failed` for a malformed tag
 */
function versionOf(tag: string): number | null {
  if (tag === '*') return null;
  const match = ENTITY_TAG.exec(tag);
  if (match?.[1] === undefined) throw staleVersion();
  return Number(match[1]);
}

/**
 * The version that a change is based on, or null for any. API keys may always omit it.
 * @throws {AppError} `precondition_required`, `precondition_failed`
 */
export function expectedVersion(
  caller: Pick<Caller, 'kind'>,
  header: string | undefined,
  demand: Demand,
): number | null {
  const tag = header?.trim() ?? '';
  if (tag !== '') return versionOf(tag);
  if (demand === 'welcome' || caller.kind !== 'session') return null;
  throw new AppError('precondition_required', 'Send If-Match with the version that you changed');
}

const versionOfRequest = createParamDecorator((demand: Demand, context: ExecutionContext): number | null => {
  const { headers } = context.switchToHttp().getRequest<Request>();
  return expectedVersion(callerOf(context), headers['if-match'], demand);
});

/** Version in `If-Match`, or null. */
export const IfMatch = (demand: Demand): ParameterDecorator =>
  documented(
    versionOfRequest(demand),
    applyDecorators(
      ApiHeader({
        name: 'if-match',
        required: false,
        description: [
          'Version that the change is based on, e.g. `"3"`; an older one is refused (412).',
          ...(demand === 'demanded' ? ['Browser sessions must send it.'] : []),
        ].join(' '),
      }),
      ...(demand === 'demanded' ? [ApiResponse({ status: 428, description: ERRORS[428] })] : []),
    ),
  );
