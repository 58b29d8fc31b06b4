import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, type OpenAPIObject, getSchemaPath } from '@nestjs/swagger';

/** Errors that most routes answer, by status. */
export const ERRORS = {
  '401': 'No valid credential',
  '4XX': 'The request cannot be read or is refused',
  default: 'Any other problem',
} as const;

/** Documents the error answers of a route. A second call replaces the first. */
export function describeErrors(mediaType: string, schema: Type): MethodDecorator {
  const content = { [mediaType]: { schema: { $ref: getSchemaPath(schema) } } };
  return applyDecorators(
    ApiExtraModels(schema),
    ApiResponse({ status: 401, description: ERRORS['401'], content }),
    ApiResponse({ status: 'default', description: ERRORS.default, content }),
  );
}

const NAMES: Readonly<Record<string, string>> = { '401': 'Unauthenticated', '4XX': 'Refused', default: 'Failed' };

/** Moves the errors of `ERRORS` from the operations to `components.responses`, named after their schema. */
export function shareErrors(document: OpenAPIObject): OpenAPIObject {
  const responses: NonNullable<NonNullable<OpenAPIObject['components']>['responses']> = {};
  const paths = Object.values(document.paths);
  const operations = paths.flatMap(({ get, put, post, patch, delete: remove }) => [get, put, post, patch, remove]);
  for (const operation of operations.filter((each) => each !== undefined)) {
    for (const [status, description] of Object.entries(ERRORS)) {
      const answer = operation.responses[status];
      if (answer === undefined || '$ref' in answer) continue;
      // Two decorators of one route join their descriptions.
      if (answer.description.split('\n\n').some((each) => each !== description)) continue;
      const [{ schema = {} } = {}] = Object.values(answer.content ?? {});
      if (!('$ref' in schema)) continue;
      const name = `${schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1).replace(/Dto$/, '')}${NAMES[status]}`;
      responses[name] = { description, content: answer.content ?? {} };
      operation.responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  return { ...document, components: { ...document.components, responses } };
}
