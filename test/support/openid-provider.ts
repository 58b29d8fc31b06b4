import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

type Key = { readonly kid: string; readonly privateKey: CryptoKey; readonly jwk: JWK };
type Claims = Record<string, unknown>;

export interface SignOptions {
  readonly header?: Record<string, unknown>;
  /** Signed with this key instead of the provider's. */
  readonly key?: CryptoKey;
}

interface Grant {
  readonly nonce: string | null;
  readonly challenge: string | null;
  readonly redirectUri: string | null;
}

const newKey = async (kid: string): Promise<Key> => {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' } };
};

const read = async (request: IncomingMessage): Promise<URLSearchParams> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return new URLSearchParams(Buffer.concat(parts).toString());
};

/** An OpenID provider on loopback that signs in whoever the test says, and can be made to lie. */
export class OpenIdProvider {
  readonly clientId = 'bellwether';
  readonly clientSecret = 'canary-client-secret-0123456789';
  /** Claims of the person who signs in next. */
  person: Claims = { sub: 'ada', email: 'ada@uni.example', email_verified: true, name: 'Ada Lovelace', sid: 'sid-1' };
  /** Changes the ID token's claims before they are signed. */
  changeIdToken: (claims: Claims) => Claims = (claims) => claims;
  /** Replaces the signed ID token. */
  forgeIdToken: (token: string) => string | Promise<string> = (token) => token;
  /** Answer of the userinfo endpoint; null for a provider without one. */
  userinfo: Claims | number | null = null;
  /** Members of the discovery document in place of the usual ones. */
  document: Record<string, unknown> = {};
  /** Whether a refused client is told by a challenge too (RFC 6749 §5.2). */
  challenges = false;
  /** Parameters that the answer carries beside `code` and `state`. */
  answerWith: Record<string, string> = {};
  readonly asked: string[] = [];
  private readonly grants = new Map<string, Grant>();
  private server: Server | null = null;
  private port = 0;
  private constructor(private keys: Key[]) {}

  static async start(): Promise<OpenIdProvider> {
    const provider = new OpenIdProvider([await newKey('key-1')]);
    await provider.up();
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get publicKey(): JWK {
    return this.newest.jwk;
  }

  async up(): Promise<void> {
    const server = createServer((request, response) => {
      this.answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
    await new Promise<void>((done) => server.listen(this.port, '127.0.0.1', done));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  async down(): Promise<void> {
    const { server } = this;
    this.server = null;
    if (server === null) return;
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }

  /** From now on tokens are signed with a new key, and the old one is gone. */
  async rotate(): Promise<void> {
    this.keys = [await newKey(`key-${randomBytes(4).toString('hex')}`)];
  }

  async sign(claims: Claims, { header = {}, key }: SignOptions = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const all = { iss: this.url, iat: now, exp: now + 300, ...claims };
    return new SignJWT(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)))
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: this.newest.kid, ...header })
      .sign(key ?? this.newest.privateKey);
  }

  count(path: string): number {
    return this.asked.filter((asked) => asked.startsWith(path)).length;
  }

  private get newest(): Key {
    const [key] = this.keys;
    if (key === undefined) throw new Error('The provider has no key');
    return key;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
    this.asked.push(pathname);
    const json = (status: number, body: unknown): unknown =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (pathname === '/.well-known/openid-configuration') return void json(200, this.metadata());
    if (pathname === '/jwks') return void json(200, { keys: this.keys.map(({ jwk }) => jwk) });
    if (pathname === '/authorize') return this.authorize(searchParams, response);
    if (pathname === '/token') {
      const [status, body] = await this.token(request);
      if (status === 401 && this.challenges) response.setHeader('www-authenticate', 'Basic realm="campus"');
      return void json(status, body);
    }
    if (pathname === '/userinfo') {
      const isRefused = typeof this.userinfo === 'number';
      return void json(
        isRefused ? Number(this.userinfo) : 200,
        isRefused ? { error: 'insufficient_scope' } : this.userinfo,
      );
    }
    response.writeHead(404).end();
  }

  private metadata(): object {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      jwks_uri: `${this.url}/jwks`,
      end_session_endpoint: `${this.url}/logout`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      authorization_response_iss_parameter_supported: true,
      ...(this.userinfo !== null && { userinfo_endpoint: `${this.url}/userinfo` }),
      ...this.document,
    };
  }

  private authorize(query: URLSearchParams, response: ServerResponse): void {
    const code = randomBytes(16).toString('hex');
    this.grants.set(code, {
      nonce: query.get('nonce'),
      challenge: query.get('code_challenge'),
      redirectUri: query.get('redirect_uri'),
    });
    const back = new URL(query.get('redirect_uri') ?? '');
    const answer = { code, state: query.get('state') ?? '', iss: this.url, ...this.answerWith };
    for (const [name, value] of Object.entries(answer)) back.searchParams.set(name, value);
    response.writeHead(302, { location: back.href }).end();
  }

  private async token(request: IncomingMessage): Promise<[number, unknown]> {
    const form = await read(request);
    const grant = this.grants.get(form.get('code') ?? '');
    this.grants.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    // RFC 6749 §2.3.1: both are form-encoded before they are put together.
    const basic = Buffer.from(request.headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString();
    if (decodeURIComponent(basic) !== `${this.clientId}:${this.clientSecret}`)
      return [401, { error: 'invalid_client' }];
    if (grant === undefined || grant.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri')) {
      return [400, { error: 'invalid_grant' }];
    }
    const claims = this.changeIdToken({ aud: this.clientId, nonce: grant.nonce, ...this.person });
    const idToken = await this.forgeIdToken(await this.sign(claims));
    return [200, { access_token: 'canary-access-token', token_type: 'Bearer', expires_in: 300, id_token: idToken }];
  }
}
