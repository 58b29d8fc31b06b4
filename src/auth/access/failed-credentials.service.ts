import { AppError, type Awaitable, atMost, onFailure } from '@bellwether/kernel';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { AuditLog } from '../../infrastructure/audit';
import { CONFIG, type Config } from '../../infrastructure/config';
import { withinOrganization } from '../../infrastructure/database';
import { OrganizationStatusService } from '../../organizations';

const MINUTE_MS = 60_000;
/** Failed sign-ins, or different unknown keys, of one address in a minute. */
const MAX_FAILURES = 20;
/** Addresses kept; the oldest are evicted. */
const MAX_ADDRESSES = 10_000;

/** Addresses that belong to one customer: an IPv6 network of 64 bits, or one IPv4 address. */
export function addressGroup(text: string | null): string {
  if (text === null || !ipaddr.isValid(text)) return 'unknown';
  const address = ipaddr.process(text);
  return address instanceof ipaddr.IPv6 ? address.toByteArray().slice(0, 8).join('.') : address.toString();
}

/** Sign-ins always count. An unknown key counts once: a program with an old key keeps getting 401. */
type FailureKind = 'sign_in' | 'key';

export interface FailedMinute {
  readonly address: string;
  readonly signIns: number;
  readonly keys: number;
}

interface Window {
  readonly endsAt: number;
  readonly seen: Set<string>;
  signIns: number;
  keys: number;
}

interface FailedAttemptsOptions {
  /** Called once per address and minute with failures, when the minute is over. */
  readonly report: (minute: FailedMinute) => void;
  readonly now?: () => number;
}

export class FailedAttempts {
  private readonly windows = new LRUCache<string, Window>({
    ...atMost(MAX_ADDRESSES),
    dispose: ({ signIns, keys }, address) => this.options.report({ address, signIns, keys }),
  });
  private readonly now: () => number;

  constructor(private readonly options: FailedAttemptsOptions) {
    this.now = options.now ?? Date.now;
  }

  /** @throws {AppError} `too_many_requests` after too many failures in the minute */
  count(address: string, kind: FailureKind, credential: string): void {
    const window = this.windowOf(address);
    if (kind === 'sign_in') window.signIns += 1;
    else if (window.seen.size <= MAX_FAILURES) {
      window.seen.add(createHash('sha256').update(credential).digest('base64url'));
      window.keys = window.seen.size;
    }
    this.assertBelow(address);
  }

  /** @throws {AppError} `too_many_requests` while the minute has too many failures */
  assertBelow(address: string): void {
    const window = this.windows.get(address);
    if (window === undefined || window.endsAt <= this.now()) return;
    if (Math.max(window.signIns, window.keys) <= MAX_FAILURES) return;
    const retryAfter = Math.max(1, Math.ceil((window.endsAt - this.now()) / 1_000));
    throw new AppError('too_many_requests', 'Too many failed sign-ins from this address', {
      reason: 'sign_in.too_many',
      retryAfter,
    });
  }

  /** Reports finished minutes. */
  sweep(): void {
    for (const [address, { endsAt }] of this.windows.entries()) {
      if (endsAt <= this.now()) this.windows.delete(address);
    }
  }

  /** Reports all minutes; for shutdown. */
  clear(): void {
    this.windows.clear();
  }

  private windowOf(address: string): Window {
    const found = this.windows.get(address);
    if (found !== undefined && found.endsAt > this.now()) return found;
    if (found !== undefined) this.windows.delete(address);
    const window: Window = { endsAt: this.now() + MINUTE_MS, seen: new Set(), signIns: 0, keys: 0 };
    this.windows.set(address, window);
    return window;
  }
}

/** Header with the secret of a proxy. */
export const PROXY_SECRET_HEADER = 'x-bellwether-proxy-secret';

interface ProxiedRequest {
  readonly headers: IncomingHttpHeaders;
  /** Address of the socket, never from a header. */
  readonly remoteAddress: string | null;
}

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

const digest = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest();

/** Proxies that may name end users: a listed address with the secret (`TRUSTED_PROXY_*`). */
@Injectable()
export class TrustedProxies {
  private readonly ranges: readonly Range[];
  private readonly secret: Buffer | null;

  constructor(@Inject(CONFIG) { http }: Pick<Config, 'http'>) {
    const { cidrs, secret } = http.trustedProxies;
    this.ranges = cidrs.map((cidr) => ipaddr.parseCIDR(cidr));
    this.secret = secret === null ? null : digest(secret);
  }

  /** False without the header. @throws {AppError} `forbidden` for a wrong secret or address */
  sent({ headers, remoteAddress }: ProxiedRequest): boolean {
    const claim = headers[PROXY_SECRET_HEADER];
    if (claim === undefined) return false;
    const isRight = this.secret !== null && typeof claim === 'string' && timingSafeEqual(digest(claim), this.secret);
    if (isRight && this.lists(remoteAddress)) return true;
    throw new AppError('forbidden', 'This address may not name end users');
  }

  private lists(address: string | null): boolean {
    if (address === null || !ipaddr.isValid(address)) return false;
    // An IPv4 peer of an IPv6 socket shows as ::ffff:10.0.0.1.
    const peer = ipaddr.process(address);
    return this.ranges.some(([range, bits]) => range.kind() === peer.kind() && peer.match([range, bits]));
  }
}

const SWEEP_MS = 5_000;

/** Rate-limits failed sign-ins and unknown keys per address. Writes one audit entry per address and minute. */
@Injectable()
export class FailedCredentials implements OnApplicationShutdown {
  private readonly logger = new Logger('Auth');
  private readonly writing = new Set<Promise<void>>();
  private readonly attempts = new FailedAttempts({ report: (minute) => this.record(minute) });
  private readonly sweeping = setInterval(() => this.attempts.sweep(), SWEEP_MS).unref();

  constructor(
    private readonly status: OrganizationStatusService,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Returns the result of `attempt`. Valid credentials are never limited: one guesser locks nobody out.
   * @throws {AppError} `too_many_requests` instead of `unauthenticated` after too many failures
   */
  watch<T>(
    { address, kind, credential }: { address: string | null; kind: FailureKind; credential: string },
    attempt: () => Awaitable<T>,
  ): Awaitable<T> {
    return onFailure(attempt, (error) => {
      if (error instanceof AppError && error.code === 'unauthenticated') {
        this.attempts.count(address ?? 'unknown', kind, credential);
      }
      throw error;
    });
  }

  /** Checks the limit before an expensive attempt. @throws {AppError} `too_many_requests` */
  assertBelow(address: string | null): void {
    this.attempts.assertBelow(address ?? 'unknown');
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.sweeping);
    this.attempts.clear();
    await Promise.all(this.writing);
  }

  private record(minute: FailedMinute): void {
    const write = this.write(minute)
      .catch((error: unknown) => this.logger.warn({ msg: 'failed sign-ins were not recorded', err: error }))
      .finally(() => this.writing.delete(write));
    this.writing.add(write);
  }

  /** No caller is known, so the system organization gets the entry. */
  private async write({ address, signIns, keys }: FailedMinute): Promise<void> {
    const organizationId = await this.status.systemId();
    if (organizationId === null) return;
    const target = { type: 'address', id: address };
    const after = { failed_sign_ins: signIns, unknown_keys: keys };
    const origin = { requestId: null, ip: address === 'unknown' ? null : address };
    await withinOrganization(organizationId, () =>
      this.audit.record({ caller: null, origin, organizationId, action: 'sign_in.failed', target, after }),
    );
  }
}
