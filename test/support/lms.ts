import { createHmac, createSign, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestApp } from './app';

export const CLAIM = (name: string): string => `https://purl.imsglobal.org/spec/lti/claim/${name}`;
export const LEARNER = 'http://purl.imsglobal.org/vocab/lis/v2/membership#Learner';

interface Keys {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const newKeys = (kid: string): Keys => ({ kid, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) });
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export interface TokenOptions {
  readonly nonce: string;
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Seconds before now at which the token was issued. */
  readonly ago?: number;
  readonly forge?: 'key' | 'none' | 'hs256';
}

/** The part of a learning platform that launches need: a key set, and tokens that may be forged. */
export class Lms {
  readonly clientId = 'tool-1';
  custom: Readonly<Record<string, string>> = {};
  tool = { id: '', launch_url: '', login_url: '' };
  private keys = newKeys('p1');
  private readonly evil = newKeys('p1');

  private constructor(
    private readonly server: Server,
    readonly issuer: string,
  ) {}

  static async start(): Promise<Lms> {
    const server = createServer((_request, response) => {
      const { kid, publicKey } = lms.keys;
      const key = { ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' };
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [key] }));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const lms = new Lms(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return lms;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  rotate(): void {
    this.keys = newKeys(randomUUID());
  }

  registration(more: object = {}): object {
    return {
      issuer: this.issuer,
      client_id: this.clientId,
      authorization_endpoint: `${this.issuer}/auth`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/jwks`,
      deployment_ids: ['d1'],
      ...more,
    };
  }

  token({ nonce, claims = {}, ago = 0, forge }: TokenOptions): string {
    const iat = Math.floor(Date.now() / 1_000) - ago;
    const payload = {
      iss: this.issuer,
      aud: this.clientId,
      sub: 'student-1',
      name: 'Sam',
      email: 'sam@uni.example',
      iat,
      exp: iat + 300,
      nonce,
      jti: randomUUID(),
      [CLAIM('message_type')]: 'LtiResourceLinkRequest',
      [CLAIM('version')]: '1.3.0',
      [CLAIM('deployment_id')]: 'd1',
      [CLAIM('target_link_uri')]: this.tool.launch_url,
      [CLAIM('resource_link')]: { id: 'r1', title: 'Ask' },
      [CLAIM('context')]: { id: 'c1', title: 'Biology' },
      [CLAIM('roles')]: [LEARNER],
      [CLAIM('custom')]: this.custom,
      ...claims,
    };
    const alg = forge === 'none' ? 'none' : forge === 'hs256' ? 'HS256' : 'RS256';
    const data = `${encoded({ alg, typ: 'JWT', kid: this.keys.kid })}.${encoded(payload)}`;
    return `${data}.${this.signature(data, forge)}`;
  }

  private signature(data: string, forge: TokenOptions['forge']): string {
    if (forge === 'none') return '';
    const pem = this.keys.publicKey.export({ type: 'spki', format: 'pem' });
    if (forge === 'hs256') return createHmac('sha256', pem).update(data).digest('base64url');
    const { privateKey } = forge === 'key' ? this.evil : this.keys;
    return createSign('RSA-SHA256').update(data).sign(privateKey, 'base64url');
  }
}

export interface LtiAnswer {
  readonly status: number;
  readonly location: string | null;
  readonly text: string;
  /** Names of the cookies that were set. */
  readonly cookies: readonly string[];
  readonly headers: Headers;
}

export interface BegunLaunch {
  readonly state: string;
  readonly nonce: string;
  readonly query: URLSearchParams;
}

/** A browser that a platform sends to the service. */
export class LtiBrowser {
  private readonly jar = new Map<string, string>();

  constructor(
    private readonly app: TestApp,
    private readonly lms: Lms,
  ) {}

  async begin(more: Readonly<Record<string, string>> = {}): Promise<BegunLaunch> {
    const parameters = new URLSearchParams({
      iss: this.lms.issuer,
      login_hint: 'u1',
      target_link_uri: this.lms.tool.launch_url,
      client_id: this.lms.clientId,
      lti_deployment_id: 'd1',
      ...more,
    });
    const { location } = await this.request(`/lti/login?${parameters.toString()}`);
    const query = new URL(location ?? 'http://none.invalid').searchParams;
    return { state: query.get('state') ?? '', nonce: query.get('nonce') ?? '', query };
  }

  send(
    { state, token }: { readonly state: string; readonly token: string },
    headers: Readonly<Record<string, string>> = {},
  ): Promise<LtiAnswer> {
    return this.request('/lti/launch', {
      method: 'POST',
      body: new URLSearchParams({ id_token: token, state }),
      headers,
    });
  }

  async launch(options: Omit<TokenOptions, 'nonce'> = {}): Promise<LtiAnswer> {
    const { state, nonce } = await this.begin();
    return this.send({ state, token: this.lms.token({ nonce, ...options }) });
  }

  /** With the claim `lti1p1`, signed by the secret of a consumer key. */
  async launchAs(
    { key, secret }: { readonly key: string; readonly secret: string },
    claims: Readonly<Record<string, unknown>>,
    old: Readonly<Record<string, string>> = {},
  ): Promise<LtiAnswer> {
    const { state, nonce } = await this.begin();
    const exp = Math.floor(Date.now() / 1_000) + 300;
    const base = [key, 'd1', this.lms.issuer, this.lms.clientId, exp, nonce].join('&');
    const sign = createHmac('sha256', secret).update(base).digest('base64');
    const lti1p1 = { oauth_consumer_key: key, oauth_consumer_key_sign: sign, ...old };
    return this.send({
      state,
      token: this.lms.token({ nonce, claims: { exp, [CLAIM('lti1p1')]: lti1p1, ...claims } }),
    });
  }

  async get(path: string): Promise<{ status: number; json: any }> {
    const { status, text } = await this.request(path);
    return { status, json: text.startsWith('{') ? JSON.parse(text) : undefined };
  }

  async request(path: string, init: RequestInit & { headers?: Record<string, string> } = {}): Promise<LtiAnswer> {
    const cookie = [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(this.app.url + path, {
      redirect: 'manual',
      ...init,
      headers: { cookie, ...init.headers },
    });
    const set = response.headers.getSetCookie().map((line) => line.split(';')[0]?.split('=') ?? []);
    for (const [name = '', value = ''] of set) this.jar.set(name, value);
    return {
      status: response.status,
      location: response.headers.get('location'),
      text: await response.text(),
      cookies: set.map(([name = '']) => name),
      headers: response.headers,
    };
  }
}
