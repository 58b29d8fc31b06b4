import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { AppError } from '../../kernel';
import { CONFIG, type Config } from '../../infrastructure/config';

/** Header with the secret of a proxy. */
export const PROXY_SECRET_HEADER = 'x-bellwether-proxy-secret';

export interface ProxiedRequest {
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
