import { AppError, isJsonObject, type JsonObject, atMost } from '@bellwether/kernel';
import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { OutboundClient, type OutboundRequest, type OutboundResponse } from '../../../src/infrastructure/outbound';
import { ToolKeys } from '../tool-keys.service';
import type { PlatformEntity } from '../platforms/platform.entity';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 2 * 1_024 * 1_024;
const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
/** A token is not used in the last seconds before it expires. */
const MARGIN_SECONDS = 30;
const MOST_LIFETIME_SECONDS = 3_600;
const WORDS = 500;

type Platform = Pick<PlatformEntity, 'id' | 'clientId' | 'tokenEndpoint' | 'tokenAudience' | 'version'>;
type ServiceRequest = Pick<OutboundRequest, 'url' | 'method' | 'headers' | 'body'>;

/** The platform answered and refused. `words` are its own, cut short. */
export class PlatformRefusal extends AppError {
  constructor(
    readonly status: number,
    readonly words: string,
  ) {
    super('upstream_rejected', `The learning platform answered ${status}: ${words}`);
  }
}

/** Calls services of platforms with access tokens, which are kept until they expire. */
@Injectable()
export class PlatformServices {
  private readonly tokens = new LRUCache<string, Promise<string>>(atMost(2_000));

  constructor(
    private readonly outbound: OutboundClient,
    private readonly keys: ToolKeys,
  ) {}

  /** A refused token is replaced once. @throws PlatformRefusal, and what the outbound client throws */
  async call(platform: Platform, scopes: readonly string[], request: ServiceRequest): Promise<OutboundResponse> {
    const first = await this.send(request, await this.token(platform, scopes));
    if (first.status !== 401) return accepted(first);
    this.tokens.delete(keyOf(platform, scopes));
    return accepted(await this.send(request, await this.token(platform, scopes)));
  }

  private send(request: ServiceRequest, token: string): Promise<OutboundResponse> {
    const headers = { ...request.headers, authorization: `Bearer ${token}` };
    return this.outbound.request({ ...request, headers, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
  }

  /** Concurrent calls share one request. */
  private token(platform: Platform, scopes: readonly string[]): Promise<string> {
    const key = keyOf(platform, scopes);
    const known = this.tokens.get(key);
    if (known !== undefined) return known;
    const asked = this.askToken(platform, scopes).then(({ token, seconds }) => {
      if (seconds > 0) this.tokens.set(key, asked, { ttl: seconds * 1_000 });
      else this.tokens.delete(key);
      return token;
    });
    this.tokens.set(key, asked);
    asked.catch(() => this.tokens.delete(key));
    return asked;
  }

  /** Client credentials with a signed assertion (1EdTech Security Framework 1.0 §4.1, RFC 7523 §2.2). */
  private async askToken(
    { clientId, tokenEndpoint, tokenAudience }: Platform,
    scopes: readonly string[],
  ): Promise<{ token: string; seconds: number }> {
    const claims = { iss: clientId, sub: clientId, aud: tokenAudience ?? tokenEndpoint, jti: randomUUID() };
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_assertion_type: ASSERTION,
      client_assertion: await this.keys.sign(claims),
      scope: scopes.join(' '),
    });
    const answer = accepted(
      await this.outbound.request({
        url: tokenEndpoint,
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
        body: form.toString(),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
      }),
    );
    const { access_token: token, expires_in: lifetime } = jsonIn(answer);
    if (typeof token !== 'string' || token === '') throw badAnswer('gave no access token');
    const seconds = Math.min(Number(lifetime) || 0, MOST_LIFETIME_SECONDS) - MARGIN_SECONDS;
    return { token, seconds };
  }
}

/** Other settings of the platform make another token. */
const keyOf = ({ id, version }: Platform, scopes: readonly string[]): string =>
  [id, version, ...[...scopes].sort()].join(' ');

export const badAnswer = (what: string): AppError =>
  new AppError('upstream_bad_response', `The learning platform ${what}`);

function accepted(answer: OutboundResponse): OutboundResponse {
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw new PlatformRefusal(answer.status, wordsOf(answer.text));
}

/** The answer as a JSON object. @throws {AppError} `upstream_bad_response` */
export function jsonIn({ text }: OutboundResponse): JsonObject {
  const value = parsed(text);
  if (!isJsonObject(value)) throw badAnswer('did not answer with JSON');
  return value;
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Text of an error answer, without markup and control characters. */
const wordsOf = (text: string): string =>
  text
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, WORDS);
