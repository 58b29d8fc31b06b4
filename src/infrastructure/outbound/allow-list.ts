import { parseCIDR, type IPv4, type IPv6 } from 'ipaddr.js';
import { parseAddress } from './public-address';

interface HostRule {
  readonly host: string;
  /** Null allows every port. */
  readonly port: number | null;
}

/**
 * Addresses beyond the public internet that the operator allows (`OUTBOUND_ALLOW`): `host`, `host:port`, an address, or
 * a CIDR block. Hosts match the name in the URL, blocks the dialled address.
 */
export class AllowList {
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
export function canonicalHost(host: string): string {
  const bare = host.toLowerCase().replace(/^\[|\]$/g, '');
  let end = bare.length;
  while (bare.endsWith('.', end)) end -= 1;
  const name = bare.slice(0, end);
  return parseAddress(name)?.toString() ?? name;
}
