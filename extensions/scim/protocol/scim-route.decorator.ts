import { applyDecorators, createParamDecorator, type ExecutionContext, Header } from '@nestjs/common';
import type { Request } from 'express';
import { Access, describeErrors, SCIM_MEDIA_TYPE, ScimErrorDto } from '../../../src/infrastructure/http';

/** A route for the token of a directory. */
export const ScimRoute = (summary: string): MethodDecorator =>
  applyDecorators(
    Access({ scope: 'scim', summary, description: 'For SCIM tokens (RFC 7644).' }),
    describeErrors(SCIM_MEDIA_TYPE, ScimErrorDto),
    Header('Content-Type', SCIM_MEDIA_TYPE),
  );

/** The origin that the client used. */
export const ClientOrigin = createParamDecorator((_data: unknown, context: ExecutionContext): string => {
  const { protocol, headers } = context.switchToHttp().getRequest<Request>();
  return `${protocol}://${headers.host ?? ''}`;
});
