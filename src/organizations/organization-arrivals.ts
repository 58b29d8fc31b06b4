import { Injectable } from '@nestjs/common';
import { AppError, type JsonObject, notFound, type Problem, staleVersion } from '../kernel';
import type { Transaction } from '../platform/database';
import { OutboundClient } from '../platform/outbound';
import { SecretsService } from '../platform/secrets';
import type { OrganizationEntity } from './organization.entity';
import { OrganizationRepository } from './organization.repository';
import { applyPatch, type SettingsChange, urlsOf, withSecret } from './settings-merge';
import { type SettingsPatch, validSettingsPatch } from './settings-validation';
import { fieldOf, type OrganizationSettings } from './settings.types';

/** An organization as another installation describes it. */
export interface ArrivingOrganization {
  /** Valid, and taken by nobody here. */
  readonly slug: string;
  readonly name: string;
  readonly suspended: boolean;
  /** Parts as in `PATCH /organizations/{slug}`, secrets in plain text; one that is given here is replaced whole. */
  readonly settings: JsonObject;
}

/** What an arrival has a say in, as it is stored: secrets sealed. */
export type StandingOrganization = Omit<ArrivingOrganization, 'settings'> & { readonly settings: OrganizationSettings };

/**
 * Organizations that come as a whole from elsewhere, within a transaction of the caller, who writes the audit and
 * announces the change after the commit.
 */
@Injectable()
export class OrganizationArrivals {
  constructor(
    private readonly organizations: OrganizationRepository,
    private readonly secrets: SecretsService,
    private readonly outbound: OutboundClient,
  ) {}

  /** What a PATCH with these settings would be refused for. */
  problems(settings: JsonObject): readonly Problem[] {
    try {
      validSettingsPatch(settings);
      return [];
    } catch (error) {
      if (error instanceof AppError) return error.problems;
      throw error;
    }
  }

  /** Addresses in the settings that the service will not call as it is configured now. Looks names up. */
  async unreachable(settings: JsonObject): Promise<readonly Problem[]> {
    const found = await Promise.all(
      urlsOf(settings as SettingsPatch).map(async ({ path, url }) => {
        const refusal = await this.refusal(url);
        return refusal === null ? [] : [{ path, message: refusal }];
      }),
    );
    return found.flat();
  }

  async slugTaken(slug: string, tx: Transaction): Promise<boolean> {
    return (await this.organizations.findBySlug(slug, tx)) !== null;
  }

  /** Locked until the transaction ends; null when it is gone. */
  async standing(id: string, tx: Transaction): Promise<StandingOrganization | null> {
    const row = await this.organizations.lock(id, tx);
    if (row === null) return null;
    const { slug, name, suspended, settings } = row;
    return { slug, name, suspended, settings };
  }

  async make(id: string, { slug, name, suspended, settings }: ArrivingOrganization, tx: Transaction): Promise<void> {
    await this.organizations.insert({ id, slug, name, isSystem: false }, tx);
    await this.write({ id, version: 1, settings: {} }, { name, suspended, settings }, tx);
  }

  /** The slug stays. @throws {AppError} `not_found` */
  async rewrite(id: string, arriving: Omit<ArrivingOrganization, 'slug'>, tx: Transaction): Promise<void> {
    const row = await this.organizations.lock(id, tx);
    if (row === null) throw notFound('Organization');
    await this.write(row, arriving, tx);
  }

  private async write(
    stored: Pick<OrganizationEntity, 'id' | 'version' | 'settings'>,
    { name, suspended, settings }: Omit<ArrivingOrganization, 'slug'>,
    tx: Transaction,
  ): Promise<void> {
    const kept = Object.entries(stored.settings).filter(([part]) => !Object.hasOwn(settings, part));
    const change = applyPatch(Object.fromEntries(kept), validSettingsPatch(settings));
    const values = { name, suspended, settings: await this.sealed(stored.id, change, tx) };
    if (!(await this.organizations.advance(stored, values, tx))) throw staleVersion();
  }

  private async sealed(id: string, change: SettingsChange, tx: Transaction): Promise<OrganizationSettings> {
    let { settings } = change;
    for (const { slot, plain } of change.fresh) {
      settings = withSecret(settings, slot, await this.secrets.seal(id, fieldOf(slot), plain, tx));
    }
    return settings;
  }

  private async refusal(url: string): Promise<string | null> {
    try {
      await this.outbound.assertDialable(url);
      return null;
    } catch (error) {
      if (error instanceof AppError) return error.detail;
      throw error;
    }
  }
}
