import type { ApiResponseNoStatusOptions } from '@nestjs/swagger';
import { type Attribute, GROUP_ATTRIBUTES, USER_ATTRIBUTES } from './discovery';
import { GROUP_SCHEMA, USER_SCHEMA } from './list-query';

type Schema = NonNullable<Extract<ApiResponseNoStatusOptions, { schema: unknown }>['schema']>;

const text: Schema = { type: 'string' };
const texts: Schema = { type: 'array', items: text };

const propertiesOf = (attributes: readonly Attribute[]): Record<string, Schema> =>
  Object.fromEntries(attributes.map((attribute) => [attribute.name, schemaOf(attribute)]));

function schemaOf({ type, multiValued, subAttributes }: Attribute): Schema {
  const one: Schema =
    type === 'complex'
      ? { type: 'object', properties: propertiesOf(subAttributes ?? []) }
      : { type: type === 'boolean' ? 'boolean' : 'string' };
  return multiValued ? { type: 'array', items: one } : one;
}

/** The query parameter `attributes` leaves out everything but `schemas` and `id`. */
const resourceOf = (attributes: readonly Attribute[]): Schema => ({
  type: 'object',
  required: ['schemas', 'id'],
  properties: {
    schemas: texts,
    id: text,
    externalId: text,
    ...propertiesOf(attributes),
    meta: {
      type: 'object',
      properties: { resourceType: text, created: text, lastModified: text, location: text },
    },
  },
});

const listOf = (items: Schema): Schema => ({
  type: 'object',
  required: ['schemas', 'totalResults', 'startIndex', 'itemsPerPage', 'Resources'],
  properties: {
    schemas: texts,
    totalResults: { type: 'integer' },
    startIndex: { type: 'integer' },
    itemsPerPage: { type: 'integer' },
    Resources: { type: 'array', items },
  },
});

interface Answer {
  readonly description: string;
  readonly schema: Schema;
}

const answerOf = (description: string, schema: Schema): Readonly<Record<'one' | 'list', Answer>> => ({
  one: { description, schema },
  list: { description: `Page of a list: ${description}`, schema: listOf(schema) },
});

export const USER = answerOf('User (RFC 7643 §4.1)', resourceOf(USER_ATTRIBUTES));
export const GROUP = answerOf('Group (RFC 7643 §4.2)', resourceOf(GROUP_ATTRIBUTES));
export const DISCOVERED = answerOf('Description of the SCIM service (RFC 7643 §5 to §7)', {
  type: 'object',
  required: ['schemas'],
  properties: { schemas: texts, id: text, name: text, description: text },
  additionalProperties: true,
});

export const USER_BODY = {
  schema: {
    type: 'object' as const,
    example: {
      schemas: [USER_SCHEMA],
      userName: 'ada@example.edu',
      externalId: '3f2c1a',
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      emails: [{ value: 'ada@example.edu', type: 'work', primary: true }],
      active: true,
    },
  },
};

export const GROUP_BODY = {
  schema: {
    type: 'object' as const,
    example: { schemas: [GROUP_SCHEMA], displayName: 'Physics 1', externalId: 'c-101', members: [] },
  },
};

export const PATCH_BODY = {
  schema: {
    type: 'object' as const,
    example: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'displayName', value: 'Ada King' }],
    },
  },
};
