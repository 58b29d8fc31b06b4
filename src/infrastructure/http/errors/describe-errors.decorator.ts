import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';

/** Documents the error answers of a route. A second call replaces the first. */
export function describeErrors(mediaType: string, schema: Type): MethodDecorator {
  const content = { [mediaType]: { schema: { $ref: getSchemaPath(schema) } } };
  return applyDecorators(
    ApiExtraModels(schema),
    ApiResponse({ status: 401, description: 'No valid credential', content }),
    ApiResponse({ status: 'default', description: 'Any other problem', content }),
  );
}
