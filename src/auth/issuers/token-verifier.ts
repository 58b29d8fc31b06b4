import { AppError, isJsonObject, atMost } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import {
  type JWTPayload,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  createLocalJWKSet,
  errors,
  jwtVerify,
} from 'jose';
import { LRUCache } from 'lru-cache';
import { OutboundClient } from '../../infrastructure/outbound';
import type { Issuer } from './issuer.types';
import { MOST_SUBJECT, OpenIdClient, ProviderDocument, askProvider } from './openid-client';

/** Three parts of base64url (RFC 7515 §7.1); the signature may be empty, and is refused later. */
const TOKEN = /^[\w-]{2,}\.[\w-]{2,}\.[\w-]*$/;
const MAX_CHARS = 16_384;

export const looksLikeToken = (text: string): boolean => text.length <= MAX_CHARS && TOKEN.test(text);

/** The `iss` that an unverified token names: enough to choose whose keys to check it with, and for nothing else. */
export function issuerNamedBy(token: string): string | null {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return isJsonObject(claims) && typeof claims['iss'] === 'string' ? claims['iss'] : null;
  } catch {
    return null;
  }
}

/** Without slashes at the end. Linear in the length: anybody may send a text of slashes, on which a pattern is quadratic. */
export function unslashed(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}

type LocalKeys = ReturnType<typeof createLocalJWKSet>;

/** Seconds that two clocks may differ. */
export const CLOCK_TOLERANCE = 30;
/** From `iat`, whatever `exp` says. Entra ID issues tokens of up to 90 minutes, which an hour would refuse. */
const MOST_AGE = '2h';
/** A notice of logout is sent at once (OpenID Connect Back-Channel Logout 1.0 §2.6). */
const MOST_NOTICE_AGE = '5m';
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** Why a token does not count. `reason` is for the log. */
export class RefusedToken extends Error {
  constructor(readonly reason: string) {
    super(`The token was refused: ${reason}`);
    this.name = 'RefusedToken';
  }
}

/** The claims without which a token means nothing. */
export type TokenClaims = JWTPayload & { readonly sub: string; readonly iat: number; readonly exp: number };

export interface LogoutNotice {
  /** `iss` as the provider writes it. */
  readonly issuer: string;
  readonly subject: string | null;
  readonly session: string | null;
  /** Time by the provider's clock. */
  readonly issuedAt: Date;
}

/** Checks signed tokens that arrive without a login: access tokens (RFC 9068) and logout notices. */
@Injectable()
export class TokenVerifier {
  private readonly keys = new LRUCache<string, ProviderDocument<LocalKeys>>(atMost(2_000));

  constructor(
    private readonly provider: OpenIdClient,
    private readonly outbound: OutboundClient,
  ) {}

  /**
   * @throws RefusedToken
   * @throws {AppError} `unavailable` where the key is unknown and the provider is down
   */
  async accessToken(issuer: Issuer, audience: string, token: string): Promise<TokenClaims> {
    const { payload, protectedHeader } = await this.verify(issuer, token, {
      audience,
      requiredClaims: ['exp', 'iat', 'sub'],
      maxTokenAge: MOST_AGE,
    });
    assertAccessToken(payload, protectedHeader.typ, issuer);
    if (!isTokenClaims(payload)) throw new RefusedToken('claims');
    return payload;
  }

  /** OpenID Connect Back-Channel Logout 1.0 §2.6. @throws RefusedToken */
  async logoutNotice(issuer: Issuer, token: string): Promise<LogoutNotice> {
    const { payload, protectedHeader } = await this.verify(issuer, token, {
      audience: issuer.clientId,
      requiredClaims: ['iat', 'events'],
      maxTokenAge: MOST_NOTICE_AGE,
    });
    return noticeIn(payload, protectedHeader.typ);
  }

  /** Reads the keys now. @throws the provider's failure as it is, for the connection test */
  async readKeys(issuer: Issuer, address: string): Promise<number> {
    return (await this.fetchKeys(issuer, address)).count;
  }

  private async verify(issuer: Issuer, token: string, options: JWTVerifyOptions): Promise<JWTVerifyResult> {
    const metadata = await this.provider.metadata(issuer);
    const { issuer: iss, jwks_uri: address } = metadata;
    if (address === undefined) throw new RefusedToken('no_keys');
    const document = this.documentOf(issuer, address);
    try {
      return await jwtVerify(
        token,
        async (header, parsed) => {
          try {
            return await (
              await document.current()
            )(header, parsed);
          } catch (error) {
            if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
            const newer = await document.search();
            if (newer === null) throw error;
            return newer(header, parsed);
          }
        },
        { ...options, issuer: iss, algorithms: [issuer.signingAlgorithm], clockTolerance: CLOCK_TOLERANCE },
      );
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw new RefusedToken(error instanceof errors.JOSEError ? reasonOf(error) : 'invalid');
    }
  }

  private documentOf(issuer: Issuer, address: string): ProviderDocument<LocalKeys> {
    const key = `${issuer.trusted} ${issuer.url} ${address}`;
    const known = this.keys.get(key) ?? new ProviderDocument(async () => (await this.fetchKeys(issuer, address)).keys);
    this.keys.set(key, known);
    return known;
  }

  private async fetchKeys(issuer: Issuer, address: string): Promise<{ keys: LocalKeys; count: number }> {
    const { status, text } = await askProvider(this.outbound, issuer, {
      url: address,
      headers: { accept: 'application/json' },
    });
    if (status !== 200) throw new AppError('upstream_error', `The sign-in service answered ${status}`);
    const document = JSON.parse(text) as Parameters<typeof createLocalJWKSet>[0];
    return { keys: createLocalJWKSet(document), count: document.keys.length };
  }
}

function noticeIn(payload: JWTPayload, typ: string | undefined): LogoutNotice {
  const { events, sub: subject = null, sid, iss: issuer = '', iat = 0 } = payload;
  const isNotice = typeof events === 'object' && events !== null && Object.hasOwn(events, LOGOUT_EVENT);
  if (!isNotice || 'nonce' in payload || !isTyped(typ, 'logout+jwt')) throw new RefusedToken('typ');
  const session = typeof sid === 'string' ? sid : null;
  if (subject === null && session === null) throw new RefusedToken('claims');
  return { issuer, subject, session, issuedAt: new Date(iat * 1_000) };
}

/** RFC 9068 §4 wants `at+jwt`. Of providers that write `JWT`, an ID token must not pass: it is for us alone. */
function assertAccessToken(payload: JWTPayload, typ: string | undefined, issuer: Issuer): void {
  if (typ?.toLowerCase().replace(/^application\//, '') === 'at+jwt') return;
  if (issuer.accessTokenType === 'at+jwt' || !isTyped(typ, 'jwt')) throw new RefusedToken('typ');
  const kind = payload['typ'];
  const isOther = typeof kind === 'string' && kind.toLowerCase() !== 'bearer';
  if (isOther || ['nonce', 'at_hash', 'c_hash', 'events'].some((name) => name in payload))
    throw new RefusedToken('typ');
  if (sharesAudience(issuer) && kind === undefined && !ACCESS_CLAIMS.some((name) => name in payload))
    throw new RefusedToken('typ');
}

/** Claims that access tokens carry and ID tokens do not (RFC 9068 §2.2; `scp` is that of Entra ID). */
const ACCESS_CLAIMS = ['scope', 'scp', 'client_id'] as const;

/** With the client id as audience, ID tokens of this client have the `aud` of an access token. */
export const sharesAudience = ({ audience, clientId, accessTokenType }: Issuer): boolean =>
  audience === clientId && accessTokenType !== 'at+jwt';

/** A missing `typ`, `JWT`, or the one that is asked for, with or without `application/` (RFC 7515 §4.1.9). */
function isTyped(typ: string | undefined, wanted: string): boolean {
  const name = (typ ?? 'jwt').toLowerCase().replace(/^application\//, '');
  return name === 'jwt' || name === wanted;
}

function isTokenClaims(payload: JWTPayload): payload is TokenClaims {
  const { sub, iat, exp } = payload;
  return (
    typeof sub === 'string' &&
    sub !== '' &&
    sub.length <= MOST_SUBJECT &&
    typeof iat === 'number' &&
    typeof exp === 'number'
  );
}

const reasonOf = (error: errors.JOSEError): string => {
  const claim: unknown = 'claim' in error ? error.claim : undefined;
  return typeof claim === 'string' ? `${error.code} ${claim}` : error.code;
};
