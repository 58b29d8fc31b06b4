import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '@bellwether/kernel';
import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Inject, Injectable, type OnModuleDestroy, Optional } from '@nestjs/common';
import { type IPv4, type IPv6, parse, parseCIDR } from 'ipaddr.js';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { type Config, CONFIG } from '../config';
import type { OutboundBytes, OutboundRequest, OutboundResponse } from './outbound.types';
import { type Hop, nextHop, readBytes, REDIRECTS } from './redirect';

/** Awaited before every call to a model vendor. Background runs record the call here, so that it is not repeated. */
export const beforeVendorCall = new AsyncLocalStorage<() => Promise<void>>();

/** Codes of Node and undici for connections that were not made or broke. */
export const CONNECTION_LOSS_CODES: readonly string[] = [
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOTFOUND',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
];

const GLOBAL_UNICAST = parseCIDR('2000::/3') as [IPv6, number];

/**
 * True for addresses of the public internet. IPv6 must lie in 2000::/3 (RFC 4291 §2.4), which excludes `::/96`, local
 * NAT64 (64:ff9b:1::/48) and site-local. Mapped, NAT64, 6to4 and Teredo addresses embed an IPv4 address and are all
 * refused.
 */
function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === null || address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST);
}

/** Parses an address as Node prints it. Null for anything else, zone ids (`fe80::1%eth0`) included. */
function parseAddress(text: string): IPv4 | IPv6 | null {
  try {
    return text.includes('%') ? null : parse(text);
  } catch {
    return null;
  }
}

interface HostRule {
  readonly host: string;
  /** Null allows every port. */
  readonly port: number | null;
}

/**
 * Addresses beyond the public internet that the operator allows (`OUTBOUND_ALLOW`): `host`, `host:port`, an address, or
 * a CIDR block. Hosts match the name in the URL, blocks the dialled address.
 */
class AllowList {
  private readonly hosts: readonly HostRule[];
  private readonly blocks: readonly [IPv4 | IPv6, number][];

  constructor(entries: readonly string[]) {
    const trimmed = entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
    this.blocks = trimmed.filter((entry) => entry.includes('/')).map((entry) => parseCIDR(entry));
    this.hosts = trimmed.filter((entry) => !entry.includes('/')).map(parseHostRule);
  }

  allowsHost(host: string, port: number): boolean {
    return this.hosts.some((rule) => rule.host === host && (rule.port === null || rule.port === port));
  }

  allowsAddress(text: string): boolean {
    const address = parseAddress(text);
    if (address === null) return false;
    return this.blocks.some(([block, bits]) => block.kind() === address.kind() && address.match([block, bits]));
  }
}

function parseHostRule(entry: string): HostRule {
  if (parseAddress(entry) !== null) return { host: canonicalHost(entry), port: null };
  const match = /^(.*):(\d{1,5})$/.exec(entry);
  if (match === null) return { host: canonicalHost(entry), port: null };
  return { host: canonicalHost(match[1] ?? ''), port: Number(match[2]) };
}

/** Canonical host: lower case, no brackets, no trailing dots. */
function canonicalHost(host: string): string {
  const bare = host.toLowerCase().replace(/^\[|\]$/g, '');
  let end = bare.length;
  while (bare.endsWith('.', end)) end -= 1;
  const name = bare.slice(0, end);
  return parseAddress(name)?.toString() ?? name;
}

const ESSRF = 'ESSRF';

/** Refused connection attempt: sockets only carry errors in the style of Node. */
class DialRefusedError extends Error {
  readonly code = ESSRF;

  constructor(host: string) {
    super(`Connections to ${host} are not allowed`);
    this.name = 'DialRefusedError';
  }
}

/** Never names the address: it would reveal the internal network of the operator. */
const refused = (reason: string): AppError => new AppError('outbound_refused', reason);

const LOCAL_NAMES = ['localhost', 'local', 'internal', 'localdomain', 'home.arpa'] as const;
const isLocalName = (host: string): boolean => LOCAL_NAMES.some((name) => host === name || host.endsWith(`.${name}`));

/** Decides which hosts and addresses may be dialled. Asked at save, at connect and at every redirect. */
class DialPolicy {
  constructor(private readonly allow: AllowList) {}

  /** `trusted` skips the address rules. Scheme and credentials are checked anyway. */
  parse(text: string, trusted: boolean): URL {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null) throw refused('This is not a valid URL');
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refused('Only http and https URLs are allowed');
    if (url.username !== '' || url.password !== '') throw refused('A URL must not hold a user name or a password');
    if (!trusted && !this.admitsHost(url.hostname, portOf(url))) {
      throw refused(`Connections to ${canonicalHost(url.hostname)} are not allowed`);
    }
    return url;
  }

  /** False for hosts refused before any lookup: private addresses and names of the local machine. */
  admitsHost(hostname: string, port: number): boolean {
    const host = canonicalHost(hostname);
    if (host === '') return false;
    if (this.allow.allowsHost(host, port)) return true;
    return isIP(host) === 0 ? !isLocalName(host) : this.admitsAddress(host);
  }

  /** True for hosts that the operator named: their addresses are not checked. */
  exempts(hostname: string, port: number): boolean {
    return this.allow.allowsHost(canonicalHost(hostname), port);
  }

  admitsAddress(address: string): boolean {
    return this.allow.allowsAddress(address) || isPublicAddress(address);
  }
}

const portOf = (url: URL): number => (url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port));

export type ResolveHost = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * An undici connector that checks every new socket between resolving and dialling: a name cannot change its address
 * after the check (DNS rebinding). IP addresses need no lookup and are checked first.
 */
function guardedConnector(policy: DialPolicy, resolve: ResolveHost, timeoutMs: number): buildConnector.connector {
  const open = buildConnector({ timeout: timeoutMs, lookup: plainLookup(resolve) });
  const guarded = buildConnector({ timeout: timeoutMs, lookup: guardedLookup(policy, resolve) });
  return (options, callback) => {
    const port = Number(options.port || (options.protocol === 'https:' ? 443 : 80));
    if (policy.exempts(options.hostname, port)) return open(options, callback);
    if (policy.admitsHost(options.hostname, port)) return guarded(options, callback);
    callback(new DialRefusedError(options.hostname), null);
  };
}

const guardedLookup = (policy: DialPolicy, resolve: ResolveHost): LookupFunction =>
  lookupWith(resolve, (hostname, addresses) => {
    const admitted = addresses.filter(({ address }) => policy.admitsAddress(address));
    return admitted.length === 0 ? new DialRefusedError(hostname) : admitted;
  });

/** Lookup without address rules, for hosts of the operator. */
const plainLookup = (resolve: ResolveHost): LookupFunction => lookupWith(resolve, (_, addresses) => addresses);

function lookupWith(
  resolve: ResolveHost,
  choose: (hostname: string, addresses: LookupAddress[]) => LookupAddress[] | Error,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const chosen = error ?? choose(hostname, addresses);
      if (chosen instanceof Error) return callback(chosen, '', 0);
      const [first] = chosen;
      if (options.all === true) return callback(null, chosen);
      return first === undefined
        ? callback(new DialRefusedError(hostname), '', 0)
        : callback(null, first.address, first.family);
    });
  };
}

interface Failure {
  readonly code?: unknown;
  readonly cause?: unknown;
  /** Causes of an AggregateError: one per address. */
  readonly errors?: readonly unknown[];
}

/** True for an error of the guarded connector, also a wrapped one. */
function isRefusal(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, cause, errors } = error as Failure;
  return code === 'ESSRF' || isRefusal(cause) || (Array.isArray(errors) && errors.some(isRefusal));
}

/** Converts errors of undici; messages never quote the transport. */
export function outboundFailure(error: unknown, state: { cancelled: boolean; timedOut: boolean }): AppError {
  if (error instanceof AppError) return error;
  if (state.cancelled) return new AppError('cancelled', 'The request was cancelled', { cause: error });
  if (isRefusal(error))
    return new AppError('outbound_refused', 'Connections to this host are not allowed', { cause: error });
  if (state.timedOut || TIMEOUTS.has((error as NodeJS.ErrnoException | null)?.code ?? '')) {
    return new AppError('upstream_timeout', 'The server did not answer in time', { cause: error });
  }
  if (UNREADABLE.test((error as NodeJS.ErrnoException | null)?.code ?? '')) {
    return new AppError('upstream_error', 'The compressed answer of the server is damaged', { cause: error });
  }
  return new AppError('upstream_error', 'The server could not be reached', { cause: error });
}

/** Codes of Node's zlib, for gzip and deflate and for brotli. */
const UNREADABLE = /^(?:Z_|ERR__ERROR_FORMAT|ERR_BROTLI)/;

const TIMEOUTS: ReadonlySet<string> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

/** Certificate that a server showed when a connection to it was opened. */
export type CertificateState =
  | { readonly state: 'valid'; readonly until: Date }
  /** `reason` is the code of the failed check, such as `CERT_HAS_EXPIRED`. */
  | { readonly state: 'refused'; readonly reason: string }
  | { readonly state: 'unreachable' };

/** Codes of OpenSSL and Node for certificates that do not hold. */
const REFUSALS = /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS/;

/** Opens a TLS connection, reads the certificate and closes it. Never rejects. */
function readCertificate(connect: buildConnector.connector, { hostname, port }: URL): Promise<CertificateState> {
  const target = { hostname, host: hostname, servername: hostname, protocol: 'https:', port: port || '443' };
  return new Promise((resolve) => {
    connect(target, (error, socket) => {
      if (error !== null) return resolve(stateOf(error));
      const { valid_to: until } = (socket as TLSSocket).getPeerCertificate();
      socket.destroy();
      resolve({ state: 'valid', until: new Date(until) });
    });
  });
}

function stateOf(error: Error & { readonly code?: unknown }): CertificateState {
  const code = typeof error.code === 'string' ? error.code : '';
  return REFUSALS.test(code) ? { state: 'refused', reason: code } : { state: 'unreachable' };
}

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

  /** Dispatcher for streaming with undici. The untrusted one checks every socket. */
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
