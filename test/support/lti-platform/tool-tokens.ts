import { randomBytes } from 'node:crypto';
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import { type Asked, json, refusal, type Reply } from './http';
import { SCOPE } from './names';

interface Tool {
  readonly clientId: string;
  readonly jwksUrl: string;
  readonly tokenUrl: string;
}

const OFFERED: ReadonlySet<string> = new Set(Object.values(SCOPE));

/** The tool's signature, checked with the keys that it publishes. */
export async function verifyToolJwt(jwksUrl: string, token: string, audience: string): Promise<JWTPayload> {
  const keys = (await (await fetch(jwksUrl)).json()) as JSONWebKeySet;
  const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
    algorithms: ['RS256'],
    audience,
    requiredClaims: ['iat', 'exp'],
    maxTokenAge: '1 hour',
  });
  return payload;
}

/** Access tokens by client credentials with a signed assertion (LTI Security Framework 1.0 §4.1, RFC 7523). */
export class ToolTokens {
  /** Scopes that were granted, by token. */
  private readonly granted = new Map<string, ReadonlySet<string>>();
  private readonly used = new Set<string>();
  /** Scopes that the platform grants at most. */
  allowed: ReadonlySet<string> = OFFERED;
  lifetimeSeconds = 3_600;

  async issue(asked: Asked, tool: Tool): Promise<Reply> {
    const form = new URLSearchParams(asked.body);
    if (form.get('grant_type') !== 'client_credentials') return refusal('unsupported_grant_type', 'client_credentials');
    if (form.get('client_assertion_type') !== 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer') {
      return refusal('invalid_request', 'client_assertion_type is wrong');
    }
    try {
      const assertion = await verifyToolJwt(tool.jwksUrl, form.get('client_assertion') ?? '', tool.tokenUrl);
      if (assertion.iss !== tool.clientId || assertion.sub !== tool.clientId) throw new Error('iss or sub is wrong');
      if (assertion.jti === undefined || this.used.has(assertion.jti)) throw new Error('jti is missing or was used');
      this.used.add(assertion.jti);
    } catch (error) {
      return refusal('invalid_client', String(error), 401);
    }
    const scopes = (form.get('scope') ?? '').split(' ').filter((scope) => this.allowed.has(scope));
    if (scopes.length === 0) return refusal('invalid_scope', 'None of the scopes is allowed');
    const token = `canary-access-token-${randomBytes(8).toString('hex')}`;
    this.granted.set(token, new Set(scopes));
    return json(200, {
      access_token: token,
      token_type: 'Bearer',
      expires_in: this.lifetimeSeconds,
      scope: scopes.join(' '),
    });
  }

  /** Ends all tokens before their time. */
  revoke(): void {
    this.granted.clear();
  }

  /** Null where the call carries a token with one of the scopes. */
  refused({ headers }: Asked, ...scopes: readonly string[]): Reply | null {
    const granted = this.granted.get(headers.authorization?.replace(/^Bearer /, '') ?? '');
    if (granted === undefined) return refusal('invalid_token', 'The access token is not known', 401);
    return scopes.some((scope) => granted.has(scope)) ? null : refusal('insufficient_scope', scopes.join(' '), 403);
  }
}
