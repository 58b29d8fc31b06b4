import { lookup } from 'node:dns';
import { Inject, Injectable, Optional, type OnModuleDestroy } from '@nestjs/common';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { AppError } from '../../kernel';
import { CONFIG, type Config } from '../config';
import { AllowList } from './allow-list';
import { type CertificateState, readCertificate } from './certificate';
import { DialPolicy, portOf, refused } from './dial-policy';
import { guardedConnector, plainLookup, type ResolveHost } from './guarded-connector';
import { outboundFailure } from './outbound.errors';
import type { OutboundBytes, OutboundRequest, OutboundResponse } from './outbound.types';
import { type Hop, nextHop, readBytes, REDIRECTS } from './redirect';

/** Injection token of the name resolver; `dns.lookup` by default. */
export const RESOLVE_HOST = Symbol('RESOLVE_HOST');

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 5 * 1024 * 1024;
const CONNECT_TIMEOUT_MS = 10_000;
const SAVE_LOOKUP_MS = 2_000;
const CERTIFICATE_TIMEOUT_MS = 3_000;

/**
 * The one HTTP client of the service. Rejects with `outbound_refused`, `upstream_timeout`, `upstream_error`,
 * `upstream_bad_response` (body over the cap) or `cancelled`; any HTTP status resolves.
 */
@Injectable()
export class OutboundClient implements OnModuleDestroy {
  private readonly policy: DialPolicy;
  private readonly guarded: Agent;
  private readonly open: Agent;
  private readonly resolve: ResolveHost;

  constructor(@Inject(CONFIG) config: Config, @Optional() @Inject(RESOLVE_HOST) resolve: ResolveHost | null = null) {
    this.resolve = resolve ?? ((hostname, options, callback) => lookup(hostname, options, callback));
    this.policy = new DialPolicy(new AllowList(config.outbound.allow));
    this.guarded = new Agent({ ...POOL, connect: this.connector(false, CONNECT_TIMEOUT_MS) });
    this.open = new Agent({ ...POOL, connect: this.connector(true, CONNECT_TIMEOUT_MS) });
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all([this.guarded.destroy(), this.open.destroy()]);
  }

  /** For streaming with undici. The untrusted dispatcher checks every socket. */
  dispatcher(trusted: boolean): Dispatcher {
    return trusted ? this.open : this.guarded;
  }

  /**
   * Checks a URL before it is stored. Accepts a name that does not resolve: every connection checks again, and settings
   * can be saved offline.
   * @throws {AppError} `outbound_refused`
   */
  async assertDialable(text: string): Promise<void> {
    const url = this.policy.parse(text, false);
    if (this.policy.exempts(url.hostname, portOf(url))) return;
    const addresses = await this.addressesOf(url.hostname.replace(/^\[|\]$/g, ''));
    if (addresses.length > 0 && !addresses.some((address) => this.policy.admitsAddress(address))) {
      throw refused(`Connections to ${url.hostname} are not allowed`);
    }
  }

  /** False for a name that does not resolve; true for an IP address. */
  async resolves(text: string): Promise<boolean> {
    const { hostname } = this.policy.parse(text, true);
    return (await this.addressesOf(hostname.replace(/^\[|\]$/g, ''))).length > 0;
  }

  /** The certificate that an https server shows now. Never rejects: a refused address is `unreachable`. */
  certificate(url: URL, trusted: boolean): Promise<CertificateState> {
    return readCertificate(this.connector(trusted, CERTIFICATE_TIMEOUT_MS), url);
  }

  async request(input: OutboundRequest): Promise<OutboundResponse> {
    const { status, headers, bytes } = await this.download(input);
    return { status, headers, text: bytes.toString('utf8') };
  }

  /** Like `request`, for binary bodies. */
  async download(input: OutboundRequest): Promise<OutboundBytes> {
    const deadline = AbortSignal.timeout(input.timeoutMs ?? TIMEOUT_MS);
    const signal = input.signal === undefined ? deadline : AbortSignal.any([input.signal, deadline]);
    try {
      return await this.follow(input, signal);
    } catch (error) {
      throw outboundFailure(error, { cancelled: input.signal?.aborted === true, timedOut: deadline.aborted });
    }
  }

  private async follow(input: OutboundRequest, signal: AbortSignal): Promise<OutboundBytes> {
    let hop: Hop = {
      url: this.policy.parse(input.url, input.trusted === true),
      method: input.method ?? 'GET',
      headers: { 'accept-encoding': 'identity', ...input.headers },
      body: input.body,
      trusted: input.trusted === true,
    };
    for (let redirects = 0; ; redirects += 1) {
      await input.admit?.(hop.url);
      const response = await this.dispatcher(hop.trusted).request({
        origin: hop.url.origin,
        path: hop.url.pathname + hop.url.search,
        method: hop.method,
        headers: hop.headers,
        body: hop.body ?? null,
        signal,
        // The deadline bounds both. The limits of undici are shorter.
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const target = nextHop(hop, response.statusCode, response.headers.location);
      if (target === null) return await readBytes(response, input.maxBytes ?? MAX_BYTES, input.take);
      await response.body.dump();
      if (redirects === REDIRECTS) throw new AppError('upstream_error', 'The server redirected too often');
      hop = { ...target, url: this.policy.parse(target.url.href, target.trusted) };
    }
  }

  private connector(trusted: boolean, timeout: number): buildConnector.connector {
    return trusted
      ? buildConnector({ timeout, lookup: plainLookup(this.resolve) })
      : guardedConnector(this.policy, this.resolve, timeout);
  }

  private addressesOf(hostname: string): Promise<string[]> {
    return new Promise((done) => {
      const timer = setTimeout(done, SAVE_LOOKUP_MS, []);
      this.resolve(hostname, { all: true }, (error, addresses) => {
        clearTimeout(timer);
        done(error === null ? addresses.map(({ address }) => address) : []);
      });
    });
  }
}

/** Unbounded connections per origin: callers have limits of their own, and streams must not queue behind each other. */
const POOL = { keepAliveTimeout: 20_000, keepAliveMaxTimeout: 60_000, pipelining: 1, connections: null } as const;
