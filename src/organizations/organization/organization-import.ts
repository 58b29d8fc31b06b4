import { AppError, type JsonObject, type Problem, existing } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import type { ImportScope, Transaction } from '../../infrastructure/database';
import { OutboundClient } from '../../infrastructure/outbound';
import { SecretsService } from '../../infrastructure/secrets';
import { limitProblems } from '../settings/limit-problems';
import {
  type SettingsPatch,
  applyPatch,
  sealedSettings,
  urlsOf,
  validSettingsPatch,
} from '../settings/settings-validation';
import type { OrganizationSettings } from '../settings/settings.types';
import type { OrganizationEntity } from '../organization.entity';
import { OrganizationRepository } from '../organization.repository';

/** An imported organization; its slug is separate because it never changes. */
export interface ImportedOrganizationValues {
  readonly name: string;
  readonly suspended: boolean;
  /** Parts as in `PATCH /organizations/{slug}`, secrets in plain text. A given part replaces the stored one. */
  readonly settings: JsonObject;
}

/** The stored form, with encrypted secrets. */
export type StoredOrganizationValues = Omit<ImportedOrganizationValues, 'settings'> & {
  readonly settings: OrganizationSettings;
};

/** An address that the service cannot call. */
export interface UnreachableAddress {
  /** Path in the settings, e.g. `providers.ollama.base_url`. */
  readonly path: string;
  readonly url: string;
  /** Reason of a refusal; null when the host name does not resolve. */
  readonly refusal: string | null;
}

/** Imports organizations. The caller writes the audit and announces the change after the commit. */
@Injectable()
export class OrganizationImport {
  constructor(
    private readonly organizations: OrganizationRepository,
    private readonly secrets: SecretsService,
    private readonly outbound: OutboundClient,
  ) {}

  /** Problems that PATCH would report. */
  problems(settings: JsonObject): readonly Problem[] {
    try {
      return limitProblems(validSettingsPatch(settings) as OrganizationSettings);
    } catch (error) {
      if (error instanceof AppError) return error.problems;
      throw error;
    }
  }

  /** Resolves the host of every address. */
  async unreachable(settings: JsonObject): Promise<readonly UnreachableAddress[]> {
    const found = await Promise.all(
      urlsOf(settings as SettingsPatch).map(async ({ path, url }): Promise<UnreachableAddress[]> => {
        const resolves = await refusalOf(() => this.outbound.resolves(url));
        if (resolves.value === false) return [{ path, url, refusal: null }];
        const { refusal } = await refusalOf(() => this.outbound.assertDialable(url));
        return refusal === null ? [] : [{ path, url, refusal }];
      }),
    );
    return found.flat();
  }

  isSlugTaken(slug: string, tx: Transaction): Promise<boolean> {
    return this.organizations.isSlugTaken(slug, tx);
  }

  /** Null for an organization that is gone. */
  async slugOf(organizationId: string): Promise<string | null> {
    return (await this.organizations.findById(organizationId))?.slug ?? null;
  }

  /** Locks the organization until the transaction ends; null when it is gone. */
  async find({ organizationId, tx }: ImportScope): Promise<StoredOrganizationValues | null> {
    const row = await this.organizations.lock(organizationId, tx);
    return row === null ? null : { name: row.name, suspended: row.suspended, settings: row.settings };
  }

  async insert(scope: ImportScope, slug: string, values: ImportedOrganizationValues): Promise<void> {
    const { organizationId: id, tx } = scope;
    await this.organizations.insert({ id, slug, name: values.name, isSystem: false }, tx);
    await this.write({ id, version: 1, settings: {} }, values, tx);
  }

  /** @throws {AppError} `not_found` */
  async update({ organizationId, tx }: ImportScope, values: ImportedOrganizationValues): Promise<void> {
    const row = existing(await this.organizations.lock(organizationId, tx), 'Organization');
    await this.write(row, values, tx);
  }

  private async write(
    stored: Pick<OrganizationEntity, 'id' | 'version' | 'settings'>,
    { name, suspended, settings }: ImportedOrganizationValues,
    tx: Transaction,
  ): Promise<void> {
    const kept = Object.entries(stored.settings).filter(([part]) => !Object.hasOwn(settings, part));
    const change = applyPatch(Object.fromEntries(kept), validSettingsPatch(settings));
    const seal = (field: string, plain: string) => this.secrets.seal(stored.id, field, plain, tx);
    const values = { name, suspended, settings: await sealedSettings(change, seal) };
    await this.organizations.advance(stored, values, tx);
  }
}

/** Result of the call, or the detail of its refusal. */
async function refusalOf<T>(call: () => Promise<T>): Promise<{ readonly value?: T; readonly refusal: string | null }> {
  try {
    return { value: await call(), refusal: null };
  } catch (error) {
    if (error instanceof AppError) return { refusal: error.detail };
    throw error;
  }
}
