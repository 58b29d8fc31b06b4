import { type CallHandler, type ExecutionContext, type NestInterceptor, UseInterceptors } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Observable, tap } from 'rxjs';

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
