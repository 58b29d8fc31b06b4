import { isIP } from 'node:net';
import { AppError } from '../../kernel';
import { canonicalHost, type AllowList } from './allow-list';
import { isPublicAddress } from './public-address';

export const ESSRF = 'ESSRF';

/** For connection attempts, which only carry errors in the style of Node. */
export class DialRefusedError extends Error {
  readonly code = ESSRF;

  constructor(host: string) {
    super(`Connections to ${host} are not allowed`);
    this.name = 'DialRefusedError';
  }
}

/** Never names the address: it would reveal the internal network of the operator. */
export const refused = (reason: string): AppError => new AppError('outbound_refused', reason);

const LOCAL_NAMES = ['localhost', 'local', 'internal', 'localdomain', 'home.arpa'] as const;
const isLocalName = (host: string): boolean => LOCAL_NAMES.some((name) => host === name || host.endsWith(`.${name}`));

/** Decides which hosts and addresses may be dialled. Asked at save, at connect and at every redirect. */
export class DialPolicy {
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

export const portOf = (url: URL): number =>
  url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
