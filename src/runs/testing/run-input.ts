import type { RunInput } from '../run.types';

/** An ordinary run's input, for specs. */
export const runInput = (overrides: Partial<RunInput> = {}): RunInput => ({
  assistant: { id: 7, name: 'Biology', organizationId: 'org-1', ownerId: 'user-1', type: 'multi_tool' },
  caller: {
    kind: 'api_key',
    credentialId: 'key-1',
    organizationId: 'org-1',
    organizationSlug: 'default',
    userId: 'user-2',
    role: 'member',
    systemAdmin: false,
    scopes: ['chat', 'read'],
    assistantIds: null,
  },
  strategy: 'sequential',
  stream: false,
  ...overrides,
});
