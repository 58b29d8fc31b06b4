import { Inject, Injectable } from '@nestjs/common';
import { ConnectionHealth, type LatestOutcome } from '../../organizations';
import { CONFIG, type Config } from '../../infrastructure/config';
import type { Finding } from '../../infrastructure/findings';
import { OutboundClient } from '../../infrastructure/outbound';
import { checkCertificates, type ShownCertificate } from './certificate-checks';
import type { Check } from './check.types';
import { checkConnections } from './connection-checks';

/** Certificates that one report reads at most. */
const MOST_ADDRESSES = 50;

interface Address {
  readonly url: URL;
  /** The operator's own: it may be private. */
  readonly trusted: boolean;
}

/** Vendors, servers, and the certificates that they and the service itself show. */
@Injectable()
export class OutsideChecks {
  readonly checks: readonly Check[];

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly connections: ConnectionHealth,
    private readonly outbound: OutboundClient,
  ) {
    this.checks = [
      { name: 'connection', make: async () => checkConnections(await connections.everywhere()) },
      { name: 'certificate', make: () => this.certificates() },
    ];
  }

  private async certificates(): Promise<readonly Finding[]> {
    const { publicUrl } = this.config.http;
    const own = publicUrl === null ? [] : [{ url: new URL(publicUrl), trusted: true }];
    const used = (await this.connections.everywhere()).flatMap((each) => this.addressOf(each));
    const shown = oneOfEachHost([...own, ...used]).map(async ({ url, trusted }): Promise<ShownCertificate> => ({
      host: url.host,
      certificate: await this.outbound.certificate(url, trusted),
    }));
    return checkCertificates(await Promise.all(shown), new Date());
  }

  private addressOf({ connection, url }: LatestOutcome): readonly Address[] {
    if (url !== null) return URL.canParse(url) ? [{ url: new URL(url), trusted: false }] : [];
    const operators = this.operatorsAddress(connection);
    return operators === null ? [] : [{ url: new URL(operators), trusted: true }];
  }

  private operatorsAddress(connection: string): string | null {
    if (connection === 'moodle') return this.config.moodle.apiUrl;
    const vendor = this.config.vendors.get(connection.replace(/^providers\./, ''));
    return vendor?.operator?.baseUrl ?? vendor?.baseUrl ?? null;
  }
}

/** The operator's addresses first: an organization's address of the same host would be refused where it is private. */
function oneOfEachHost(addresses: readonly Address[]): readonly Address[] {
  const secured = addresses.filter(({ url }) => url.protocol === 'https:');
  const sorted = [...secured.filter(({ trusted }) => trusted), ...secured.filter(({ trusted }) => !trusted)];
  const hosts = new Map<string, Address>();
  for (const address of sorted) if (!hosts.has(address.url.host)) hosts.set(address.url.host, address);
  return [...hosts.values()].slice(0, MOST_ADDRESSES);
}
