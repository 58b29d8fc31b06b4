import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';

/** Refusals by status; `describeAnswers` says which operation answers which. */
export const ERRORS = {
  400: 'The request cannot be read, or a value in it is wrong',
  401: 'No valid credential',
  403: 'The caller lacks the role, the scope or the right',
  404: 'Not there, or not for the caller',
  409: 'In conflict with the present state or with a request at the same time',
  412: 'Changed since the version that was sent',
  413: 'The body or what it adds is too large',
  415: 'The body is of a type or an encoding that is not taken',
  422: 'The Idempotency-Key was used for another request',
  428: 'The version that the change is based on is missing',
  429: 'Too many requests, or a limit is reached; `Retry-After` says when to come again',
  '4XX': 'The request cannot be read or is refused',
  default: 'Any other problem',
} as const;

/** Documents the error answers of a route. A second call replaces the first. */
export function describeErrors(mediaType: string, schema: Type): MethodDecorator {
  const content = { [mediaType]: { schema: { $ref: getSchemaPath(schema) } } };
  return applyDecorators(
    ApiExtraModels(schema),
    ApiResponse({ status: 401, description: ERRORS[401], content }),
    ApiResponse({ status: 'default', description: ERRORS.default, content }),
  );
}
