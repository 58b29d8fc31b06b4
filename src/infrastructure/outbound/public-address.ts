import { parse, parseCIDR, type IPv4, type IPv6 } from 'ipaddr.js';

const GLOBAL_UNICAST = parseCIDR('2000::/3') as [IPv6, number];

/**
 * True for addresses of the public internet. IPv6 must lie in 2000::/3 (RFC 4291 §2.4), which excludes `::/96`, local
 * NAT64 (64:ff9b:1::/48) and site-local. Mapped, NAT64, 6to4 and Teredo addresses embed an IPv4 address and are all
 * refused.
 */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === null || address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST);
}

/** Parses an address as Node prints it. Null for anything else, zone ids (`fe80::1%eth0`) included. */
export function parseAddress(text: string): IPv4 | IPv6 | null {
  try {
    return text.includes('%') ? null : parse(text);
  } catch {
    return null;
  }
}
