import { AppError, isJsonObject, atMost } from '@bellwether/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import * as openid from 'openid-client';
import { OutboundClient, type OutboundRequest, type OutboundResponse } from '../../infrastructure/outbound';
import { lacksClaims, mergedClaims, missingClaims } from './claims';
import type { Claims, Issuer } from './issuer.types';

const TIMEOUT_MS = 8_000;
const MAX_BYTES = 512 * 1_024;

type ProviderRequest = Pick<OutboundRequest, 'url' | 'method' | 'headers' | 'body'>;

/**
 * Asks a provider. The operator's trust ends at the origin of the issuer: a metadata document may name any other address.
 * A GET is repeated once, because the first call after a restart of the provider meets a stale connection.
 */
export async function askProvider(
  outbound: OutboundClient,
  { url: issuer, trusted }: Pick<Issuer, 'url' | 'trusted'>,
  request: ProviderRequest,
): Promise<OutboundResponse> {
  const isTrusted = trusted && URL.canParse(request.url) && new URL(request.url).origin === new URL(issuer).origin;
  const ask = (): Promise<OutboundResponse> =>
    outbound.request({ ...request, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, trusted: isTrusted });
  const answer = await ask().catch((error: unknown) => {
    const isRepeatable =
      (request.method ?? 'GET') === 'GET' && error instanceof AppError && error.code === 'upstream_error';
    if (!isRepeatable) throw error;
    return ask();
  });
  if (answer.status >= 500) throw new AppError('upstream_error', `The sign-in service answered ${answer.status}`);
  return answer;
}

/** Milliseconds after which the document is read again; a retired key is good until then. */
const FRESH_MS = 10 * 60_000;
/** Between two searches for unknown keys, which anybody can cause. A new key is found after this time at the latest. */
const COOL_DOWN_MS = 5_000;
/** After a failed reading. */
const RETRY_MS = 5_000;
/** Time for which a reading shows that the provider answers. */
const LIVE_MS = 5_000;
/** Time for which the last document is good while the provider is down. */
const STALE_MS = 24 * 3_600_000;

/** @param cause stays in the log; answers never quote it */
export const providerDown = (cause?: unknown): AppError =>
  new AppError('unavailable', 'The sign-in service of the institution does not answer', {
    cause,
    retryAfter: RETRY_MS / 1_000,
  });

/**
 * The published metadata or keys of a provider. Unknown keys cause one reading per cool-down, however many
 * tokens name them. The last document stays good while the provider is down.
 */
export class ProviderDocument<T> {
  private last: { readonly value: T; readonly at: number } | null = null;
  private loading: Promise<T> | null = null;
  private failedAt = -Infinity;
  private searchedAt = -Infinity;

  constructor(
    private readonly read: () => Promise<T>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @throws {AppError} `unavailable` where nothing is known and the provider does not answer */
  async current(): Promise<T> {
    const age = this.last === null ? Infinity : this.now() - this.last.at;
    if (this.last !== null && age < FRESH_MS) return this.last.value;
    try {
      return await this.reload();
    } catch (error) {
      if (this.last !== null && age < STALE_MS) return this.last.value;
      throw error;
    }
  }

  /**
   * Read in the last seconds: a browser that is sent to a provider which is down gets no page at all.
   * @throws {AppError} `unavailable`
   */
  async live(): Promise<T> {
    if (this.last !== null && this.now() - this.last.at < LIVE_MS) return this.last.value;
    return this.reload();
  }

  /**
   * A newer document, for a key that the last one lacks. Null during the cool-down: the token is refused without asking.
   * @throws {AppError} `unavailable` where the provider does not answer, as the key may be a new one
   */
  async search(): Promise<T | null> {
    if (this.now() - this.searchedAt < COOL_DOWN_MS) return null;
    const value = await this.reload();
    this.searchedAt = this.now();
    return value;
  }

  private async reload(): Promise<T> {
    if (this.now() - this.failedAt < RETRY_MS) throw providerDown();
    this.loading ??= this.read().finally(() => (this.loading = null));
    try {
      const value = await this.loading;
      this.last = { value, at: this.now() };
      return value;
    } catch (error) {
      this.failedAt = this.now();
      throw providerDown(error);
    }
  }
}

/** Seconds that two clocks may differ. */
const CLOCK_TOLERANCE = 30;
const MOST_ISSUERS = 2_000;
/** OpenID Connect Core 1.0 §2. */
export const MOST_SUBJECT = 255;

/** Values that bind an answer to the browser that asked. */
export interface LoginChecks {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** PKCE (RFC 7636). */
  readonly verifier: string;
}

export interface SignedInPerson {
  readonly claims: Claims;
  readonly idToken: string;
}

/** An answer of a provider that must not sign anybody in. `reason` is for the log. */
export class RefusedAnswer extends Error {
  constructor(readonly reason: string) {
    super(`The answer of the provider was refused: ${reason}`);
    this.name = 'RefusedAnswer';
  }
}

type Metadata = openid.ServerMetadata;

/** A refusal by the status, with or without a word. Other reasons mean that the answer lies. */
const NO_ANSWER = /^(provider: |OAUTH_RESPONSE_IS_NOT_CONFORM$)/;

const ENDPOINTS = [
  'authorization_endpoint',
  'token_endpoint',
  'jwks_uri',
  'userinfo_endpoint',
  'end_session_endpoint',
] as const;

/** The only file that knows the OpenID library. Every request of it goes through our outbound client. */
@Injectable()
export class OpenIdClient {
  private readonly logger = new Logger('SingleSignOn');
  /** Claims that the log has told about or that have come, by issuer. */
  private readonly told = new LRUCache<string, true>(atMost(MOST_ISSUERS));
  private readonly documents = new LRUCache<string, ProviderDocument<Metadata>>(atMost(MOST_ISSUERS));

  constructor(private readonly outbound: OutboundClient) {}

  /** @throws {AppError} `unavailable` */
  metadata(issuer: Issuer): Promise<Metadata> {
    return this.documentOf(issuer).current();
  }

  /** Reads the metadata now. @throws the provider's failure as it is, for the connection test */
  async discover(issuer: Issuer): Promise<Metadata> {
    const config = await openid.discovery(new URL(issuer.url), issuer.clientId, undefined, openid.None(), {
      [openid.customFetch]: this.fetchFor(issuer),
      execute: isPlain(issuer) ? [openid.allowInsecureRequests] : [],
    });
    const metadata = config.serverMetadata();
    for (const name of ENDPOINTS) await this.assertEndpoint(issuer, name, metadata[name]);
    return metadata;
  }

  /**
   * @throws RefusedAnswer
   * @throws {AppError} `unavailable`
   */
  async loginUrl(issuer: Issuer, { redirectUri, state, nonce, verifier }: LoginChecks): Promise<string> {
    try {
      const config = this.configuration(issuer, await this.documentOf(issuer).live());
      return openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: issuer.scopes,
        state,
        nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }).href;
    } catch (error) {
      throw await failureOf(error);
    }
  }

  /**
   * Exchanges the code of an answer and checks the ID token: signature, issuer, audience, time, nonce.
   * @throws RefusedAnswer
   * @throws {AppError} `unavailable`
   */
  async finishLogin(issuer: Issuer, answer: URLSearchParams, checks: LoginChecks): Promise<SignedInPerson> {
    try {
      const config = this.configuration(issuer, await this.metadata(issuer));
      const currentUrl = new URL(checks.redirectUri);
      currentUrl.search = answer.toString();
      const tokens = await openid.authorizationCodeGrant(config, currentUrl, {
        expectedState: checks.state,
        expectedNonce: checks.nonce,
        pkceCodeVerifier: checks.verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined || tokens.id_token === undefined) throw new RefusedAnswer('no_id_token');
      assertOwn(issuer, claims);
      const all = await this.withUserinfo(issuer, config, claims, tokens.access_token);
      this.tellMissing(issuer, all);
      return { claims: all, idToken: tokens.id_token };
    } catch (error) {
      throw await failureOf(error);
    }
  }

  /**
   * OpenID Connect Core 1.0 §5.3. The ID token is signed: it wins where both say something. A provider that refuses to tell
   * more is heard only where the settings do not ask for it.
   */
  private async withUserinfo(
    issuer: Issuer,
    config: openid.Configuration,
    claims: Claims & { readonly sub: string },
    accessToken: string,
  ): Promise<Claims> {
    const isOffered = config.serverMetadata().userinfo_endpoint !== undefined;
    if (!issuer.userinfo && !(isOffered && lacksClaims(claims, issuer))) return claims;
    try {
      return mergedClaims(claims, await openid.fetchUserInfo(config, accessToken, claims.sub));
    } catch (error) {
      const failure = await failureOf(error);
      const isOptional = !issuer.userinfo && failure instanceof RefusedAnswer && NO_ANSWER.test(failure.reason);
      if (!isOptional) throw failure;
      this.logger.warn({ msg: 'the userinfo endpoint refused', issuer: issuer.key, reason: failure.reason });
      return claims;
    }
  }

  /** Once for each claim that never came. */
  private tellMissing(issuer: Issuer, claims: Claims): void {
    const missing = new Set(missingClaims(claims, issuer));
    const { roleClaim, groupsClaim, externalIdClaim, organizationClaim } = issuer.rules;
    for (const claim of [roleClaim, groupsClaim, externalIdClaim, issuer.forAll ? organizationClaim : null]) {
      const key = `${issuer.key} ${claim}`;
      if (claim === null || this.told.has(key)) continue;
      this.told.set(key, true);
      if (missing.has(claim)) this.logger.warn({ msg: 'a configured claim did not come', issuer: issuer.key, claim });
    }
  }

  /** Null where the provider has no RP-initiated logout. */
  async logoutUrl(issuer: Issuer, idToken: string | null, returnTo: string): Promise<string | null> {
    const config = this.configuration(issuer, await this.metadata(issuer));
    if (config.serverMetadata().end_session_endpoint === undefined) return null;
    const parameters = { post_logout_redirect_uri: returnTo, client_id: issuer.clientId };
    return openid.buildEndSessionUrl(config, idToken === null ? parameters : { ...parameters, id_token_hint: idToken })
      .href;
  }

  /**
   * Made anew for every login: a configuration keeps keys for a minute, and a login after a key rotation would fail.
   * Without `enableNonRepudiationChecks` the library takes ID tokens with a wrong signature.
   */
  private configuration(issuer: Issuer, metadata: Metadata): openid.Configuration {
    const client = {
      id_token_signed_response_alg: issuer.signingAlgorithm,
      [openid.clockTolerance]: CLOCK_TOLERANCE,
    };
    const config = new openid.Configuration(metadata, issuer.clientId, client, authenticationOf(issuer, metadata));
    config[openid.customFetch] = this.fetchFor(issuer);
    if (isPlain(issuer)) openid.allowInsecureRequests(config);
    openid.enableNonRepudiationChecks(config);
    return config;
  }

  private documentOf(issuer: Issuer): ProviderDocument<Metadata> {
    const key = `${issuer.trusted} ${issuer.url}`;
    const known = this.documents.get(key) ?? new ProviderDocument(() => this.discover(issuer));
    this.documents.set(key, known);
    return known;
  }

  /**
   * Browsers and this service are sent to these addresses. The operator's provider may have private ones.
   * @throws RefusedAnswer
   */
  private async assertEndpoint(issuer: Issuer, name: string, address: unknown): Promise<void> {
    if (address === undefined) return;
    const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : null;
    const isWeb = url?.protocol === 'https:' || (url?.protocol === 'http:' && isPlain(issuer));
    if (url === null || !isWeb) throw new RefusedAnswer(`${name} is no ${isPlain(issuer) ? 'web' : 'https'} address`);
    if (!issuer.trusted) await this.outbound.assertDialable(url.href);
  }

  private fetchFor(issuer: Issuer): openid.CustomFetch {
    return async (url, { method, headers, body }) => {
      const text = body === undefined || body === null ? undefined : textOf(body);
      const answer = await askProvider(this.outbound, issuer, {
        url,
        method: method === 'POST' ? 'POST' : 'GET',
        headers,
        ...(text !== undefined && { body: text }),
      });
      const empty = answer.status === 204 || answer.status === 304;
      return new Response(empty ? null : answer.text, { status: answer.status, headers: answer.headers });
    };
  }
}

/** The library looks at `azp` only beside several audiences, and never at `iat`. */
function assertOwn({ clientId }: Issuer, { azp, iat, sub }: openid.IDToken): void {
  // OpenID Connect Core 1.0 §3.1.3.7 (5): the token was made for a sign-in to another client.
  if (azp !== undefined && azp !== clientId) throw new RefusedAnswer('azp');
  if (sub === '' || sub.length > MOST_SUBJECT) throw new RefusedAnswer('sub');
  // Claims from the future would outlast every later change of roles.
  if (iat * 1_000 > Date.now() + CLOCK_TOLERANCE * 1_000) throw new RefusedAnswer('iat');
}

/** Loopback providers of development, and those that the operator set. Others are refused when they are saved. */
const isPlain = ({ url }: Issuer): boolean => url.startsWith('http:');

function authenticationOf({ clientSecret }: Issuer, metadata: Metadata): openid.ClientAuth {
  const secret = clientSecret();
  if (secret === null) return openid.None();
  // OpenID Connect Discovery 1.0 §3: a missing list means `client_secret_basic`.
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_basic') ? openid.ClientSecretBasic(secret) : openid.ClientSecretPost(secret);
}

function textOf(body: NonNullable<openid.FetchBody>): string {
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('The OpenID library sent a body that is no text');
}

/** An outage of the provider lies somewhere in the chain of causes; everything else is an answer to refuse. */
async function failureOf(error: unknown): Promise<Error> {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) causes.push(cause);
  const refused = causes.find((cause) => cause instanceof RefusedAnswer);
  if (refused !== undefined) return refused;
  const own = causes.find((cause) => cause instanceof AppError);
  if (own !== undefined)
    return own.code === 'unavailable' || own.code === 'secret_unavailable' ? own : providerDown(own);
  const code = await codeOf(error);
  if (code !== null) return new RefusedAnswer(`provider: ${plain(code)}`);
  return new RefusedAnswer(error instanceof openid.ClientError ? plain(error.code ?? error.message) : 'invalid');
}

/** The `error` of OAuth; null without one. A challenge comes with the answer unread (RFC 6749 §5.2, RFC 6750 §3). */
async function codeOf(error: unknown): Promise<string | null> {
  if (error instanceof openid.AuthorizationResponseError || error instanceof openid.ResponseBodyError)
    return error.error;
  if (!(error instanceof openid.WWWAuthenticateChallengeError)) return null;
  const body: unknown = await error.response.json().catch(() => null);
  const told = isJsonObject(body) ? body['error'] : error.cause.map(({ parameters }) => parameters.error).find(Boolean);
  return typeof told === 'string' ? told : `http ${error.status}`;
}

/** Error codes come from the provider; in the log they stay one short word. */
const plain = (text: string): string => text.replace(/[^\w .-]/g, '').slice(0, 80);
