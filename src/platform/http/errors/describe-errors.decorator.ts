import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';

/** Documents how the errors of a route look; said again, the last word counts. */
export function describeErrors(mediaType: string, schema: Type): MethodDecorator {
  const content = { [mediaType]: { schema: { $ref: getSchemaPath(schema) } } };
  return applyDecorators(
    ApiExtraModels(schema),
    ApiResponse({ status: 401, description: 'No valid credential', content }),
    ApiResponse({ status: 'default', description: 'Any other problem', content }),
  );
}
