import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../../kernel';
import { FoundingService, OrganizationChanges } from '../../organizations';
import { FreshCache } from '../../platform/cache';
import { CONFIG, type Config } from '../../platform/config';
import { SecretsService } from '../../platform/secrets';
import { environmentIssuer } from './environment-issuer';
import { DEFAULT_RULES, DEFAULT_SETTINGS, type Issuer } from './issuer.types';
import type { IssuerEntity } from './issuer.entity';
import { IssuerRepository, type IssuerRow } from './issuer.repository';
import { unslashed } from './unverified-token';

/** Path of the secret for its encryption: moved to another issuer it no longer opens. */
export const secretFieldOf = (id: string): string => `oidc.${id}.client_secret`;

/** An issuer on the sign-in page. */
export interface ListedIssuer {
  readonly key: string;
  readonly name: string;
  readonly hasLogo: boolean;
}

interface Catalogue {
  readonly byKey: ReadonlyMap<string, Issuer>;
  readonly listed: readonly ListedIssuer[];
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
    private readonly founding: FoundingService,
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

  async listed(): Promise<readonly ListedIssuer[]> {
    return (await this.catalogue.get('all')).listed;
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
      return await this.secrets.open(organizationId, secretFieldOf(id), clientSecret);
    } catch (error) {
      if (error instanceof AppError && error.code === 'secret_unavailable') return error;
      throw error;
    }
  }

  private async load(): Promise<Catalogue> {
    const rows = await this.repository.usable();
    const stored = await Promise.all(rows.map((row) => this.opened(row)));
    const systemId = await this.founding.systemId();
    const own = systemId === null ? null : environmentIssuer(this.config.oidc, systemId);
    const issuers = own === null ? stored : [own, ...stored.filter(({ key }) => key !== own.key)];
    const logos = new Set(rows.filter(({ hasLogo }) => hasLogo).map(({ key }) => key));
    return {
      byKey: new Map(issuers.map((issuer) => [issuer.key, issuer])),
      listed: issuers
        .filter(({ listed }) => listed)
        .map(({ key, name }) => ({ key, name, hasLogo: logos.has(key) && key !== own?.key })),
    };
  }
}
