import { type CallHandler, type ExecutionContext, type NestInterceptor, UseInterceptors } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Observable, tap } from 'rxjs';

interface Versioned {
  readonly version: number;
}

/** The tag names the version; the answer also depends on the caller and on what changes no version, so it is never cached. */
class VersionTag implements NestInterceptor<Versioned, Versioned> {
  intercept(context: ExecutionContext, next: CallHandler<Versioned>): Observable<Versioned> {
    const http = context.switchToHttp();
    const response = http.getResponse<Response>();
    // Who asks with the tag would hear that nothing changed, when what has no version did.
    delete http.getRequest<Request>().headers['if-none-match'];
    return next
      .handle()
      .pipe(tap(({ version }) => response.set({ etag: `"${version}"`, 'cache-control': 'no-store' })));
  }
}

/** Answers of this route name their `version` in `ETag`, as `If-Match` wants it. */
export const TagsVersion = (): MethodDecorator => UseInterceptors(new VersionTag());
