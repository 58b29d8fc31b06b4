import { GROUP_SCHEMA, USER_SCHEMA } from './scim.types';

/** Bodies of SCIM are described by its own schemas, not by OpenAPI. */
export const SCIM_JSON = { description: 'A resource or a list of RFC 7643', schema: {} };

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
