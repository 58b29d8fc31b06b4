import { AppError } from '@bellwether/kernel';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Response } from 'express';
import type { Admission } from '../../infrastructure/admission';
import type { Config } from '../../infrastructure/config';
import type { BellwetherRequest } from '../../infrastructure/http';
import type { OrganizationsService } from '../../organizations';
import { CredentialMiddleware, type RequestAuthenticator } from './authenticator';
import { TrustedProxies } from './failed-credentials.service';

const PERSON = 2;

interface Given {
  readonly scopes?: readonly string[];
  /** The place that is free at once; null when the request waits. */
  readonly free?: (() => void) | null;
}

/** A gate for one key of this role. `ask` sends the headers of a completion and no byte of its body. */
function gateFor(role: 'member' | 'teacher', { scopes = ['chat'], free = () => undefined }: Given = {}) {
  const caller = { organizationId: 'o', userId: 'ada', role, scopes };
  const leave = jest.fn();
  let isRevoked = false;
  const enter = () => {
    isRevoked = true;
    return Promise.resolve(leave);
  };
  const authenticate = () =>
    isRevoked ? Promise.reject(new AppError('unauthenticated', 'Revoked')) : Promise.resolve(caller);
  const gate = new CredentialMiddleware(
    { runs: { completions: { person: PERSON } } } as Config,
    { authenticate } as unknown as RequestAuthenticator,
    { assertOpen: () => undefined, tryEnter: () => free, enter } as unknown as Admission,
    { weight: () => Promise.resolve(1) } as unknown as OrganizationsService,
    new TrustedProxies({ http: { trustedProxies: { cidrs: [], secret: null } } } as unknown as Config),
  );
  const ask = async () => {
    const request = Object.assign(new PassThrough(), {
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { 'content-length': '10' },
      socket: { bytesRead: 0 },
    });
    const response = Object.assign(new EventEmitter(), { closed: false });
    const error = await new Promise<unknown>((resolve) => {
      gate.use(request as unknown as BellwetherRequest, response as unknown as Response, resolve);
    });
    return { request, response, code: (error as { readonly code?: string } | undefined)?.code };
  };
  return { ask, leave };
}

describe('completions whose body has not arrived', () => {
  it('are few for one person, and one more when one has ended', async () => {
    const { ask } = gateFor('member');
    const asked = [await ask(), await ask(), await ask()];
    expect(asked.map(({ code }) => code)).toEqual([undefined, undefined, 'too_many_requests']);
    const [first] = asked;
    const closed = new Promise((resolve) => first?.request.once('close', resolve));
    first?.request.destroy();
    await closed;
    expect((await ask()).code).toBeUndefined();
    for (const { request } of asked) request.destroy();
  });

  it.each([
    ['a teacher', gateFor('teacher')],
    ['a key whose bodies name end users', gateFor('member', { scopes: ['chat', 'act_as'] })],
  ])('are not counted for %s', async (_who, { ask }) => {
    const asked = [await ask(), await ask(), await ask()];
    expect(asked.map(({ code }) => code)).toEqual([undefined, undefined, undefined]);
    for (const { request } of asked) request.destroy();
  });
});

it('a key that was revoked while its request waited opens nothing, and its place becomes free', async () => {
  const { ask, leave } = gateFor('teacher', { free: null });
  const { code, response } = await ask();
  expect(code).toBe('unauthenticated');
  response.emit('close');
  expect(leave).toHaveBeenCalledTimes(1);
});

it('a body is watched for its speed once it is read: while its key is looked up again, it stands still', async () => {
  const [read, unread] = [await gateFor('teacher').ask(), await gateFor('teacher', { free: null }).ask()];
  expect([read.code, unread.code]).toEqual([undefined, 'unauthenticated']);
  expect(read.request.listenerCount('close') - unread.request.listenerCount('close')).toBe(1);
  for (const { request } of [read, unread]) request.destroy();
});
