import { applyDecorators, SetMetadata, UseInterceptors } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { BellwetherRequest } from '../http';
import { IDEMPOTENT_METADATA, IdempotencyInterceptor } from './idempotency.interceptor';

export interface IdempotentOptions {
  /** Encrypts the stored answer, for answers that show a secret once. */
  readonly sealed?: boolean;
  /** True for requests without an effect: their key is ignored. */
  readonly unless?: (request: BellwetherRequest) => boolean;
}

/**
 * Honours `Idempotency-Key` on a POST with an effect. On an upload route, put this *above* `@AcceptFiles()`: it then
 * compares the uploads by their bytes.
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
