import { startApp, type TestApp } from '../support/app';
import { CONFIGURATION, formOf, launch, LtiPlatform, SCOPE, STUDENT } from '../support/lti-platform';
import { SsoBrowser, type Visit } from '../support/sso-browser';

const PLATFORMS = '/api/v1/organizations/default/lti/platforms';

let app: TestApp;
let lms: LtiPlatform;
let serial = 0;

/** An address that an administrator gave to the administrator of the platform. */
async function invited(): Promise<string> {
  const { status, json } = await app.api('POST', '/api/v1/organizations/default/lti/registrations');
  expect([status, json.registration_url]).toEqual([201, expect.stringMatching(/\/lti\/register\/[\w-]{43}$/)]);
  return json.registration_url;
}

/** The page that the platform opens, and the form on it. */
const opened = (address: string): Promise<Visit> => new SsoBrowser(app).visit(lms.registrations.address(address));
async function confirmed(address: string): Promise<Visit> {
  const { action, fields } = formOf((await opened(address)).text);
  return new SsoBrowser(app).submit(new URL(action, app.url).href, fields);
}
const platforms = async (): Promise<any[]> => (await app.api('GET', `${PLATFORMS}?limit=100`)).json.items;
const lines = (): any[] =>
  app
    .log()
    .split('\n')
    .filter((line) => line.includes('the registration of a platform was refused'))
    .map((line) => JSON.parse(line));

beforeAll(async () => {
  app = await startApp();
}, 60_000);
afterAll(() => app.stop());
beforeEach(async () => {
  lms = await LtiPlatform.start();
  lms.clientId = `client-${++serial}`;
});
afterEach(() => lms.down());

describe('a platform that registers itself', () => {
  it.each(['standard', 'moodle', 'canvas'] as const)(
    'as %s waits until an administrator approves it',
    async (flavor) => {
      lms.registrations.flavor = flavor;
      if (flavor === 'canvas') lms.issuerName = `https://canvas.instructure.example/${serial}`;
      const address = await invited();
      const page = await opened(address);
      expect([page.status, page.text]).toEqual([200, expect.stringContaining(lms.issuer)]);
      expect(lms.registrations.received).toEqual([]);

      const done = await confirmed(address);
      expect([done.status, done.text]).toEqual([200, expect.stringContaining('org.imsglobal.lti.close')]);
      const [tool] = lms.registrations.received;
      expect(tool).toMatchObject({
        client_name: 'Bellwether',
        redirect_uris: [`${app.url}/lti/launch`, `${app.url}/lti/deep-link`],
        initiate_login_uri: expect.stringMatching(`^${app.url}/lti/login/[\\w-]{36}$`),
        jwks_uri: `${app.url}/lti/jwks`,
        scope: [SCOPE.roster, SCOPE.lineItem, SCOPE.score].join(' '),
        [CONFIGURATION.tool]: {
          messages: [
            { type: 'LtiResourceLinkRequest' },
            {
              type: 'LtiDeepLinkingRequest',
              target_link_uri: `${app.url}/lti/deep-link`,
              placements: ['link_selection', 'assignment_selection'],
            },
          ],
        },
      });

      const found = (await platforms()).find(({ client_id }) => client_id === lms.clientId);
      const deployments = flavor === 'canvas' ? [] : [lms.deploymentId];
      expect(found).toMatchObject({
        issuer: lms.issuer,
        active: false,
        awaits_approval: true,
        deployment_ids: deployments,
      });
      expect(done.text).toContain(`/organization/platforms/${found.id}`);
      expect(done.text.includes('deployment ID')).toBe(flavor === 'canvas');

      lms.tool = found;
      const before = await new SsoBrowser(app).visit(lms.begin({ person: STUDENT }));
      expect(before.text).toContain('<code>inactive_platform</code>');
      const approval = { active: true, deployment_ids: [lms.deploymentId] };
      const approved = await app.api('PATCH', `${PLATFORMS}/${found.id}`, approval);
      expect(approved.json).toMatchObject({ active: true, awaits_approval: false });
      const after = await launch(new SsoBrowser(app), lms, { person: STUDENT });
      expect(after.text).toContain('<code>no_assistant</code>');
    },
  );

  it('uses the address up, and is registered once', async () => {
    const address = await invited();
    await confirmed(address);
    const again = await opened(address);
    expect([again.status, again.text]).toEqual([404, expect.stringContaining('<code>code</code>')]);
    const taken = await confirmed(await invited());
    expect([taken.status, taken.text]).toEqual([409, expect.stringContaining('<code>taken</code>')]);
  });

  it('may try again with the same address after it refused', async () => {
    const address = await invited();
    lms.fail(/^\/register$/, {
      status: 400,
      body: { error: 'invalid_client_metadata', error_description: 'No <b>tools</b>' },
    });
    const refused = await confirmed(address);
    expect([refused.status, refused.text]).toEqual([
      424,
      expect.stringContaining('400 invalid_client_metadata: No &lt;b&gt;tools&lt;/b&gt;'),
    ]);
    lms.heal();
    expect((await confirmed(address)).status).toBe(200);
  });

  it('gets the authorization server of its configuration as the audience of tokens', async () => {
    lms.registrations.changeConfiguration = (all) => ({ ...all, authorization_server: 'https://auth.example.edu' });
    await confirmed(await invited());
    const found = (await platforms()).find(({ client_id }) => client_id === lms.clientId);
    expect(found.token_audience).toBe('https://auth.example.edu');
  });
});

describe('a registration is refused', () => {
  const change = (changes: object) => () => {
    lms.registrations.changeConfiguration = (all) => ({ ...all, ...changes });
  };
  const CASES: readonly [string, number, string, string, () => void][] = [
    [
      'without its addresses',
      422,
      'configuration',
      'jwks_uri, registration_endpoint',
      change({ jwks_uri: 7, registration_endpoint: 'javascript:1' }),
    ],
    [
      'without RS256',
      422,
      'configuration',
      'id_token_signing_alg',
      change({ id_token_signing_alg_values_supported: ['ES256'] }),
    ],
    [
      'without launches',
      422,
      'configuration',
      'messages_supported',
      change({ [CONFIGURATION.platform]: { messages_supported: [] } }),
    ],
    [
      'for a configuration that is none',
      422,
      'configuration',
      'no JSON',
      () => lms.fail(/well-known/, { status: 200, body: '<html>' }),
    ],
    ['for a configuration that is missing', 424, 'unreachable', '404', () => lms.fail(/well-known/, { status: 404 })],
    ['for a platform that says nothing', 424, 'unreachable', '', () => lms.fail(/well-known/, 'drop')],
  ];

  it.each(CASES)('%s, with one line in the log', async (_name, status, code, words, prepare) => {
    prepare();
    const before = lines().length;
    const { status: answered, text } = await opened(await invited());
    expect([answered, text]).toEqual([status, expect.stringContaining(`<code>${code}</code>`)]);
    expect(text).toContain(words);
    expect(lines().slice(before)).toEqual([expect.objectContaining({ refusal: code })]);
  });

  it('for an address without its code, with a foreign one, and without a configuration', async () => {
    const browser = new SsoBrowser(app);
    const foreign = `${app.url}/lti/register/${'a'.repeat(43)}`;
    for (const address of [`${app.url}/lti/register`, foreign]) {
      const { status, text } = await browser.visit(lms.registrations.address(address));
      expect([status, text]).toEqual([404, expect.stringContaining('<code>code</code>')]);
    }
    const { status, text } = await browser.visit(await invited());
    expect([status, text]).toEqual([400, expect.stringContaining('<code>no_configuration</code>')]);
  });

  it('where the answer names no client', async () => {
    lms.registrations.changeAnswer = () => ({});
    const { status, text } = await confirmed(await invited());
    expect([status, text]).toEqual([424, expect.stringContaining('no client_id')]);
  });

  it('and never shows or logs its code and token', async () => {
    const address = await invited();
    lms.fail(/^\/register$/, { status: 500 });
    await confirmed(address);
    const code = address.split('/').at(-1) ?? '';
    const { requests } = { requests: lms.asked.filter(({ path }) => path === '/register') };
    const token = requests.at(-1)?.headers.authorization?.replace('Bearer ', '') ?? '';
    expect(token).not.toBe('');
    const refusals = JSON.stringify(lines());
    expect([refusals.includes(code), refusals.includes(token)]).toEqual([false, false]);
  });

  it('to people who do not administer the organization', async () => {
    const { json } = await app.api('POST', '/api/v1/api-keys', { name: 'chat', scopes: ['chat', 'read'] });
    const headers = { authorization: `Bearer ${json.key}` };
    expect((await app.api('POST', '/api/v1/organizations/default/lti/registrations', {}, headers)).status).toBe(403);
  });
});
