import { GROUP_SCHEMA, MOST_RESULTS, type ScimResource, USER_SCHEMA } from './list-query';

interface AttributeOptions {
  readonly type?: 'string' | 'boolean' | 'complex' | 'reference';
  readonly multiValued?: boolean;
  readonly required?: boolean;
  readonly caseExact?: boolean;
  readonly mutability?: 'readOnly' | 'readWrite' | 'immutable';
  readonly returned?: 'default';
  readonly uniqueness?: 'none' | 'server';
  readonly subAttributes?: readonly Attribute[];
}

export interface Attribute extends AttributeOptions {
  readonly name: string;
  readonly description: string;
}

/** A schema attribute with the defaults of RFC 7643 §2.2. */
const attribute = (name: string, description: string, options: AttributeOptions = {}): Attribute => ({
  name,
  type: 'string',
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...options,
});

export const USER_ATTRIBUTES = [
  attribute('userName', 'Name of the user in the directory', { required: true, uniqueness: 'server' }),
  attribute('name', 'Parts of the name', {
    type: 'complex',
    subAttributes: [
      attribute('formatted', 'The whole name'),
      attribute('familyName', 'Family name'),
      attribute('givenName', 'Given name'),
      attribute('middleName', 'Middle name'),
      attribute('honorificPrefix', 'Title before the name'),
      attribute('honorificSuffix', 'Suffix after the name'),
    ],
  }),
  attribute('displayName', 'Name that others see'),
  attribute('active', 'Whether the user may sign in', { type: 'boolean' }),
  attribute('emails', 'Addresses; the primary one is that of the account', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'The address'),
      attribute('type', 'Such as work or home'),
      attribute('primary', 'Whether it is the address of the account', { type: 'boolean' }),
    ],
  }),
];

export const GROUP_ATTRIBUTES = [
  attribute('displayName', 'Name of the group', { required: true, uniqueness: 'server' }),
  attribute('members', 'Users of the directory', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'Id of the user', { mutability: 'immutable' }),
      attribute('$ref', 'Address of the user', { type: 'reference', mutability: 'immutable', caseExact: true }),
    ],
  }),
];

const SCHEMA_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema';
const TYPE_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';

export const schemas = (base: string): ScimResource[] =>
  [
    { id: USER_SCHEMA, name: 'User', description: 'User account', attributes: USER_ATTRIBUTES },
    { id: GROUP_SCHEMA, name: 'Group', description: 'Group', attributes: GROUP_ATTRIBUTES },
  ].map((schema) => ({
    schemas: [SCHEMA_SCHEMA],
    ...schema,
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` },
  }));

export const resourceTypes = (base: string): ScimResource[] =>
  [
    { id: 'User', name: 'User', endpoint: '/Users', description: 'User account', schema: USER_SCHEMA },
    { id: 'Group', name: 'Group', endpoint: '/Groups', description: 'Group', schema: GROUP_SCHEMA },
  ].map((type) => ({
    schemas: [TYPE_SCHEMA],
    ...type,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${type.id}` },
  }));

export const serviceProviderConfig = (base: string): ScimResource => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MOST_RESULTS },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'A SCIM token of the organization, in the header Authorization',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
});
