import { isJsonObject } from '@bellwether/kernel';
import type { OpenAPIObject } from '@nestjs/swagger';

/** Schema of a number that may have decimals. */
export const DECIMAL = { type: 'number', format: 'double' } as const;

/** Schema of the values that a text names, by name. */
export const NAMED_VALUES = {
  type: 'object' as const,
  additionalProperties: { oneOf: [{ type: 'string' }, { ...DECIMAL }] },
};

const asInteger = (type: unknown): unknown => (type === 'number' ? 'integer' : type);

/** Swagger describes every `number` of a class as such; those without a format are whole. */
function whole(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(whole);
  if (!isJsonObject(schema)) return schema;
  const { type, ...rest } = schema;
  const parts = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, whole(value)]));
  if (type === undefined) return parts;
  // A property may be called `type`.
  const told = typeof type === 'object' && !Array.isArray(type) ? whole(type) : type;
  if (schema['format'] === DECIMAL.format) return { type: told, ...parts };
  return { type: Array.isArray(told) ? told.map(asInteger) : asInteger(told), ...parts };
}

/**
 * Ids, counts, versions and limits as integers, in the schemas of classes and in parameters. Bodies that a JSON Schema
 * describes say themselves what is whole.
 */
export function wholeNumbers(document: OpenAPIObject): OpenAPIObject {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path) as { parameters?: unknown }[]);
  for (const operation of operations.filter(({ parameters }) => parameters !== undefined))
    operation.parameters = whole(operation.parameters);
  const schemas = whole(document.components?.schemas ?? {}) as NonNullable<OpenAPIObject['components']>['schemas'];
  return { ...document, components: { ...document.components, ...(schemas === undefined ? {} : { schemas }) } };
}
