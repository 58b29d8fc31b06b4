import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRemoteJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { CLAIM, COURSE, LtiPlatform, MEDIA, presented, SCOPE, TEACHER } from './index';
import { SsoBrowser } from '../sso-browser';

/** A tool with nothing but its login initiation and its keys. */
describe('the learning platform of the tests', () => {
  let lms: LtiPlatform;
  let tool: Server;
  let url: string;
  let sign: (claims: Record<string, unknown>) => Promise<string>;

  beforeAll(async () => {
    lms = await LtiPlatform.start();
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid: 'tool-1', alg: 'RS256' };
    sign = (claims) =>
      new SignJWT({ jti: randomUUID(), ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'tool-1' })
        .setIssuedAt()
        .setExpirationTime('1m')
        .sign(privateKey);
    tool = createServer((request, response) => {
      const asked = new URL(request.url ?? '/', url);
      if (asked.pathname === '/jwks') return void response.end(JSON.stringify({ keys: [jwk] }));
      const authorize = new URL(`${lms.url}/authorize`);
      const parameters = {
        ...{ scope: 'openid', response_type: 'id_token', response_mode: 'form_post', prompt: 'none' },
        ...{ client_id: lms.clientId, redirect_uri: `${url}/launch`, state: 'state-1', nonce: 'nonce-1' },
        login_hint: asked.searchParams.get('login_hint') ?? '',
        lti_message_hint: asked.searchParams.get('lti_message_hint') ?? '',
      };
      authorize.search = new URLSearchParams(parameters).toString();
      response.writeHead(302, { location: authorize.href }).end();
    });
    await new Promise<void>((done) => tool.listen(0, '127.0.0.1', done));
    url = `http://127.0.0.1:${(tool.address() as AddressInfo).port}`;
    lms.tool = {
      login_url: `${url}/login`,
      launch_url: `${url}/launch`,
      deep_link_url: `${url}/launch`,
      jwks_url: `${url}/jwks`,
    };
  });

  afterAll(async () => {
    await lms.down();
    await new Promise((done) => tool.close(done));
  });

  const token = async (): Promise<Response> =>
    fetch(`${lms.url}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: await sign({ iss: lms.clientId, sub: lms.clientId, aud: `${lms.url}/token` }),
        scope: `${SCOPE.roster} ${SCOPE.score}`,
      }),
    });

  it('sends a message that its published keys verify, and a changed one where a test asks', async () => {
    const browser = new SsoBrowser({ url });
    const { action, fields } = await presented(browser, lms, { person: TEACHER });
    expect(action).toBe(`${url}/launch`);
    const keys = createRemoteJWKSet(new URL(`${lms.url}/jwks`));
    const { payload } = await jwtVerify(fields['id_token'] ?? '', keys, { issuer: lms.issuer, audience: lms.clientId });
    expect(payload).toMatchObject({ sub: 'teacher-1', nonce: 'nonce-1', [CLAIM.version]: '1.3.0' });

    const hostile = await presented(browser, lms, { changeClaims: (claims) => ({ ...claims, nonce: 'other' }) });
    const changed = await jwtVerify(hostile.fields['id_token'] ?? '', keys);
    expect(changed.payload['nonce']).toBe('other');
  });

  it('gives tokens for a signed assertion, and pages of the roster and scores for a token', async () => {
    lms.roster.members = [TEACHER, { sub: 'student-1', roles: [] }, { sub: 'student-2', roles: [] }];
    lms.roster.pageSize = 2;
    const { access_token: bearer } = (await (await token()).json()) as { access_token: string };
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': MEDIA.score };
    const roster = await fetch(`${lms.url}/courses/course-1/memberships`, { headers });
    expect(roster.headers.get('link')).toContain('from=2>; rel="next"');

    const { id } = lms.grades.add(COURSE.id, { label: 'Talk', scoreMaximum: 10 });
    const send = (timestamp: string): Promise<Response> =>
      fetch(`${id}/scores`, {
        method: 'POST',
        headers,
        body: JSON.stringify({
          ...{ userId: 'student-1', scoreGiven: 7, scoreMaximum: 10, timestamp },
          ...{ activityProgress: 'Completed', gradingProgress: 'FullyGraded' },
        }),
      });
    expect((await send('2026-01-01T10:00:00.000Z')).status).toBe(204);
    expect((await send('2026-01-01T10:00:00.000Z')).status).toBe(409);
    expect(lms.grades.of('student-1')).toHaveLength(1);
    lms.tokens.revoke();
    expect((await send('2026-01-01T11:00:00.000Z')).status).toBe(401);
  });
});
