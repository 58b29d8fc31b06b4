import { afterEach, describe, expect, it } from 'vitest';
import { hasPage } from './extensions';
import { session, type Me } from './session.svelte';

const ADDRESSES = [
  '/courses/c1',
  '/organization/platforms/bridge',
  '/chat/7?activity=a1',
  '/help/lti',
  '/assistants/7/insights',
  '/assistants/7/tests?run=r1',
  '/replays/r1',
  '/help/move-from-lamb',
];
const CORE = ['/', '/assistants/7', '/chat/7', '/organization', '/help/chat', '/runs/r1'];

describe('pages of extensions', () => {
  afterEach(() => (session.me = null));

  it('are there where the extension is, and pages of the core always', () => {
    session.me = { extensions: ['lti', 'insights', 'evaluations', 'lamb-import'] } as unknown as Me;
    expect([...ADDRESSES, ...CORE].filter((address) => !hasPage(address))).toEqual([]);
    session.me = { extensions: ['insights'] } as unknown as Me;
    expect(ADDRESSES.filter(hasPage)).toEqual(['/assistants/7/insights']);
    session.me = { extensions: [] as Me['extensions'] } as Me;
    expect(ADDRESSES.filter(hasPage)).toEqual([]);
    expect(CORE.filter(hasPage)).toEqual(CORE);
  });
});
