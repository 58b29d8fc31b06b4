import { applyDecorators, SetMetadata, UseInterceptors } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { BellwetherRequest } from '../http';
import { IDEMPOTENT_METADATA, IdempotencyInterceptor } from './idempotency.interceptor';

export interface IdempotentOptions {
  /** Keeps the stored answer encrypted; for answers that show a secret once. */
  readonly sealed?: boolean;
  /** Requests without an effect: their key is not looked at and their answer not kept. */
  readonly unless?: (request: BellwetherRequest) => boolean;
}

/**
 * Honours `Idempotency-Key` on a POST that creates or starts something. On an upload route, put this *above*
 * `@AcceptFiles()`, so that it runs after it and can tell two uploads apart by their bytes.
 */
export const Idempotent = ({ sealed = false, unless }: IdempotentOptions = {}): MethodDecorator =>
  applyDecorators(
    SetMetadata(IDEMPOTENT_METADATA, { sealed, unless }),
    UseInterceptors(IdempotencyInterceptor),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'Up to 255 characters. The same key and body within 24 hours get the same answer, without a second effect.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    }),
  );
