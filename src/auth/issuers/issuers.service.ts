import { AppError } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { FreshCache } from '../../infrastructure/cache';
import { CONFIG, type Config } from '../../infrastructure/config';
import { withinOrganization } from '../../infrastructure/database';
import { SecretsService } from '../../infrastructure/secrets';
import { OrganizationChanges, OrganizationStatusService } from '../../organizations';
import type { IssuerEntity } from './issuer.entity';
import { IssuerRepository, type IssuerRow } from './issuer.repository';
import { DEFAULT_RULES, DEFAULT_SETTINGS, type Issuer } from './issuer.types';
import { unslashed } from './token-verifier';

/** Name in URLs of the issuer that the environment sets. No stored issuer takes it. */
export const ENVIRONMENT_KEY = 'default';

/** Null where the environment sets none. Its people belong to the operator's own organization. */
export function environmentIssuer(oidc: Config['oidc'], organizationId: string): Issuer | null {
  const { issuer, clientId, clientSecret, name, listed, forAll, defaultRole, ...others } = oidc;
  if (issuer === null || clientId === null) return null;
  const given = { ...others, defaultRole: defaultRole === 'none' ? null : defaultRole };
  return {
    ...like(DEFAULT_SETTINGS, given),
    rules: like(DEFAULT_RULES, given),
    id: null,
    key: ENVIRONMENT_KEY,
    name,
    organizationId,
    url: issuer,
    clientId,
    clientSecret: () => clientSecret,
    listed,
    forAll,
    trusted: true,
  };
}

/** The defaults with the members of the same name. */
const like = <T extends object>(defaults: T, given: Partial<T>): T =>
  Object.fromEntries(Object.entries({ ...defaults, ...given }).filter(([name]) => name in defaults)) as T;

/** Path of the secret for its encryption: moved to another issuer it no longer opens. */
export const secretFieldOf = (id: string): string => `oidc.${id}.client_secret`;

/** An issuer as the sign-in page shows it. */
export interface OfferedIssuer {
  readonly key: string;
  readonly name: string;
  readonly hasLogo: boolean;
  /** Name of the organization that its people come in to; null where claims decide, or for the environment's. */
  readonly organization: string | null;
  /** Slug of the organization that set it. */
  readonly slug: string;
}

/** Query of a sign-in page. Without any member: the page of everybody. */
export interface OfferQuery {
  readonly organization?: string;
  readonly issuer?: string;
  readonly emailDomain?: string;
}

interface Catalogue {
  readonly byKey: ReadonlyMap<string, Issuer>;
  readonly offers: readonly { readonly issuer: Issuer; readonly offer: OfferedIssuer }[];
}

/** Milliseconds for which another replica may serve old settings. */
const MAX_AGE = 5_000;

/** OpenID providers that people may sign in with: the one of the environment and the stored ones. */
@Injectable()
export class Issuers {
  private readonly catalogue = new FreshCache<'all', Catalogue>({ maxAge: MAX_AGE, max: 1, load: () => this.load() });

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly repository: IssuerRepository,
    private readonly status: OrganizationStatusService,
    private readonly secrets: SecretsService,
    changes: OrganizationChanges,
  ) {
    changes.on(() => this.catalogue.clear());
  }

  /** Null for what is unknown or switched off. */
  async find(key: string): Promise<Issuer | null> {
    return (await this.catalogue.get('all')).byKey.get(key) ?? null;
  }

  /** Also one that is switched off, for an administrator's trial. */
  async findStored(key: string): Promise<Issuer | null> {
    const row = await this.repository.findByKey(key);
    return row === null ? this.find(key) : this.opened(row);
  }

  /**
   * Issuers for a sign-in page. An organization chooses the buttons on its own page only: elsewhere it could lead
   * people of other organizations to its provider.
   */
  async offered({ organization, issuer: key, emailDomain }: OfferQuery): Promise<readonly OfferedIssuer[]> {
    const domain = emailDomain?.toLowerCase() ?? '';
    const { offers } = await this.catalogue.get('all');
    const isWanted = ({ issuer, offer }: (typeof offers)[number]): boolean => {
      if (key !== undefined) return issuer.key === key;
      if (domain !== '') return issuer.signInDomains.includes(domain);
      if (organization !== undefined && offer.slug === organization) return issuer.listed;
      return issuer.listedForEverybody && (organization === undefined || issuer.forAll);
    };
    return offers.filter(isWanted).map(({ offer }) => offer);
  }

  /** Issuers set elsewhere through which people of an organization come in: those of all, and the environment's. */
  async reaching(organizationId: string): Promise<readonly Issuer[]> {
    const { offers } = await this.catalogue.get('all');
    return offers
      .map(({ issuer }) => issuer)
      .filter(({ id, forAll, organizationId: owner }) => (owner === organizationId ? id === null : forAll));
  }

  /** Issuers whose tokens may carry this `iss`; the exact name is checked with the signature. */
  async ofToken(iss: string): Promise<readonly Issuer[]> {
    const { byKey } = await this.catalogue.get('all');
    const wanted = unslashed(iss);
    return [...byKey.values()].filter(({ url, audience }) => audience !== null && unslashed(url) === wanted);
  }

  logoOf(key: string): Promise<string | null> {
    return this.repository.logoOf(key);
  }

  /** A stored row as the protocol needs it. */
  async opened(row: IssuerRow | IssuerEntity): Promise<Issuer> {
    const { id, key, name, organizationId, url, clientId, listed, forAll, settings } = row;
    const secret = await this.secretOf(row);
    return {
      ...DEFAULT_SETTINGS,
      ...settings,
      rules: { ...DEFAULT_RULES, ...settings.rules },
      key,
      name,
      organizationId,
      url,
      clientId,
      clientSecret: () => {
        if (secret instanceof AppError) throw secret;
        return secret;
      },
      listed,
      forAll,
      trusted: false,
      id,
    };
  }

  private async secretOf({
    id,
    organizationId,
    clientSecret,
  }: IssuerRow | IssuerEntity): Promise<string | null | AppError> {
    if (clientSecret === null) return null;
    try {
      const open = (): Promise<string> => this.secrets.open(organizationId, secretFieldOf(id), clientSecret);
      return await withinOrganization(organizationId, open);
    } catch (error) {
      if (error instanceof AppError && error.code === 'secret_unavailable') return error;
      throw error;
    }
  }

  private async load(): Promise<Catalogue> {
    const rows = await this.repository.usable();
    const stored = await Promise.all(rows.map((row) => this.opened(row)));
    const systemId = await this.status.systemId();
    const own = systemId === null ? null : environmentIssuer(this.config.oidc, systemId);
    const issuers = own === null ? stored : [own, ...stored.filter(({ key }) => key !== own.key)];
    const rowOf = new Map(rows.map((row) => [row.id, row]));
    const ownSlug =
      own === null ? '' : ((await this.status.of([own.organizationId])).get(own.organizationId)?.slug ?? '');
    const offers = issuers.map((issuer) => {
      const row = issuer.id === null ? undefined : rowOf.get(issuer.id);
      const organization = issuer.forAll ? null : (row?.organizationName ?? null);
      const { key, name } = issuer;
      return {
        issuer,
        offer: { key, name, hasLogo: row?.hasLogo ?? false, organization, slug: row?.organizationSlug ?? ownSlug },
      };
    });
    return { byKey: new Map(issuers.map((issuer) => [issuer.key, issuer])), offers };
  }
}
