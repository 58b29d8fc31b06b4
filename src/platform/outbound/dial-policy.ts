import { isIP } from 'node:net';
import { AppError } from '../../kernel';
import { canonicalHost, type AllowList } from './allow-list';
import { isPublicAddress } from './public-address';

/** `error.code` of a connection that the policy refused. */
export const ESSRF = 'ESSRF';

/** Raised inside a connection attempt, where only Node-style errors travel. */
export class DialRefusedError extends Error {
  readonly code = ESSRF;

  constructor(host: string) {
    super(`Connections to ${host} are not allowed`);
    this.name = 'DialRefusedError';
  }
}

/** The address never appears: it would tell what a name resolves to inside the operator's network. */
export const refused = (reason: string): AppError => new AppError('outbound_refused', reason);

const LOCAL_NAMES = ['localhost', 'local', 'internal', 'localdomain', 'home.arpa'] as const;
const isLocalName = (host: string): boolean => LOCAL_NAMES.some((name) => host === name || host.endsWith(`.${name}`));

/** Decides which hosts and addresses may be dialled. Asked at save, at connect and at every redirect. */
export class DialPolicy {
  constructor(private readonly allow: AllowList) {}

  /** `trusted` skips only the address rules: scheme and credentials are checked for the operator's URLs too. */
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

  /** False when the host is refused before any lookup: a private address written out, or a name of the local machine. */
  admitsHost(hostname: string, port: number): boolean {
    const host = canonicalHost(hostname);
    if (host === '') return false;
    if (this.allow.allowsHost(host, port)) return true;
    return isIP(host) === 0 ? !isLocalName(host) : this.admitsAddress(host);
  }

  /** True when the operator named this host, so that what it resolves to is not asked. */
  exempts(hostname: string, port: number): boolean {
    return this.allow.allowsHost(canonicalHost(hostname), port);
  }

  admitsAddress(address: string): boolean {
    return this.allow.allowsAddress(address) || isPublicAddress(address);
  }
}

export const portOf = (url: URL): number =>
  url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
