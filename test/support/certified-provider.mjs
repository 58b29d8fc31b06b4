// A certified OpenID provider in a process of its own: Jest cannot load the library, which is ESM only.
// Says `{ ready: url }` over IPC, then answers one message at a time.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';
import MemoryAdapter from 'oidc-provider/lib/adapters/memory_adapter.js';

/** Of its own kind, so that clients, sessions and codes outlive the provider, whose keys are read once. */
class Memory extends MemoryAdapter {}
const cookieKeys = [randomUUID()];
const people = new Map();
const newKey = (alg) => {
  const type = alg === 'ES256' ? ['ec', { namedCurve: 'P-256' }] : ['rsa', { modulusLength: 2048 }];
  return { ...generateKeyPairSync(...type).privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg, use: 'sig' };
};
let keys = [newKey('RS256'), newKey('ES256')];
const realNow = Date.now;

const findAccount = (_, id) => {
  const person = people.get(id);
  return person && { accountId: id, claims: () => ({ sub: id, ...person }) };
};

/** The audience is the resource that the client asks for. */
const resources = {
  enabled: true,
  getResourceServerInfo: (_, resource) => ({
    scope: 'ask',
    audience: resource,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'RS256' } },
  }),
  useGrantedResource: () => true,
};

async function grantEverything(ctx) {
  const { oidc } = ctx;
  const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
  grant.addOIDCScope('openid email profile offline_access');
  for (const resource of [oidc.params.resource ?? []].flat()) grant.addResourceScope(resource, 'ask');
  await grant.save();
  return grant;
}

const configuration = () => ({
  jwks: { keys },
  findAccount,
  loadExistingGrant: grantEverything,
  claims: {
    openid: ['sub', 'sid', 'roles', 'groups', 'realm_access'],
    email: ['email', 'email_verified'],
    profile: ['name'],
  },
  conformIdTokenClaims: false,
  // Without the library's agent, which refuses loopback.
  fetch: (address, options) => fetch(address, { ...options, dispatcher: undefined }),
  scopes: ['openid', 'email', 'profile', 'offline_access'],
  enabledJWA: { idTokenSigningAlgValues: ['RS256', 'ES256'] },
  adapter: Memory,
  cookies: { keys: cookieKeys },
  features: {
    backchannelLogout: { enabled: true },
    registration: { enabled: true },
    resourceIndicators: resources,
  },
  extraTokenClaims: (_, token) => (token.accountId === undefined ? {} : people.get(token.accountId)),
  issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
  rotateRefreshToken: true,
});

const server = createServer();
const listen = (port) =>
  new Promise((done) => server.listen(port, '127.0.0.1', () => done(`http://127.0.0.1:${server.address().port}`)));
const url = await listen(0);
const port = Number(new URL(url).port);

function serve() {
  const provider = new Provider(url, configuration());
  server.removeAllListeners('request').on('request', provider.callback());
}
serve();

const orders = {
  person: ({ name, claims }) => people.set(name, claims),
  rotate: () => {
    keys = [newKey('RS256'), newKey('ES256')];
    serve();
  },
  /** Seconds that the clock of the provider is ahead. */
  clock: ({ seconds }) => {
    Date.now = () => realNow() + seconds * 1_000;
  },
  down: () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  },
  up: () => listen(port),
};

process.on('message', async ({ id, order, ...given }) => {
  try {
    await orders[order](given);
    process.send({ id });
  } catch (error) {
    process.send({ id, error: String(error) });
  }
});
process.on('disconnect', () => process.exit(0));
process.send({ ready: url });
