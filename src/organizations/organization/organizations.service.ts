import {
  AppError,
  type Awaitable,
  type Caller,
  type Page,
  type PageRequest,
  after,
  isOrganizationAdmin,
  notFound,
  pageOf,
  textCursor,
  existing,
} from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { FreshCache } from '../../infrastructure/cache';
import { CONFIG, type Config } from '../../infrastructure/config';
import { withinOrganization } from '../../infrastructure/database';
import { SecretsService } from '../../infrastructure/secrets';
import { type OpenedSecret, type OpenedSecrets, type OrganizationRuntime, buildRuntime } from '../runtime.builder';
import {
  type SettingsPatch,
  applyPatch,
  sealedSettings,
  secretSlots,
  storedSecret,
} from '../settings/settings-validation';
import { fieldOf } from '../settings/settings.types';
import type { OrganizationEntity } from '../organization.entity';
import { OrganizationRepository } from '../organization.repository';
import type { OrganizationDto, OrganizationSummaryDto } from '../organization-answer.dto';
import { summaryOf, viewOf } from '../organization-view';
import { assertAdministers, assertSees } from './organization.permissions';
import { OrganizationChanges } from './settings.service';

/** Milliseconds that settings are cached (docs: "at most 5 s stale"). */
const MAX_AGE = 5_000;
const MAX_ORGANIZATIONS = 2_000;

const EVERY_BATCH = 500;
/** Stands for a secret that is not stored. */
const ENTERED = 'entered';

const DEFAULT_WEIGHT = 1;

/** Reads organizations. `SettingsService` writes them. */
@Injectable()
export class OrganizationsService {
  private readonly runtimes = new FreshCache<string, OrganizationRuntime>({
    maxAge: MAX_AGE,
    max: MAX_ORGANIZATIONS,
    load: (id) => withinOrganization(id, () => this.load(id)),
  });

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly organizations: OrganizationRepository,
    private readonly secrets: SecretsService,
    changes: OrganizationChanges,
  ) {
    changes.on((organizationId) => this.runtimes.delete(organizationId));
  }

  /**
   * Settings for a run, with opened secrets; at most 5 s old. Writes of this process show at once.
   * @throws {AppError} `not_found`
   */
  runtime(organizationId: string): Awaitable<OrganizationRuntime> {
    return this.runtimes.get(organizationId);
  }

  /** Share of the places for answers, compared to those of other organizations. @throws as `runtime` */
  weight(organizationId: string): Awaitable<number> {
    return after(this.runtime(organizationId), ({ limits }) => limits.weight ?? DEFAULT_WEIGHT);
  }

  /**
   * Settings as they would be with a patch that is not stored, for a test of what is on the screen. The rules of storing
   * hold: another address without a new secret leaves none.
   * @throws {AppError} `not_found`
   */
  async trial(organizationId: string, patch: SettingsPatch): Promise<OrganizationRuntime> {
    const stored = existing(await this.organizations.findById(organizationId), 'Organization');
    const change = applyPatch(stored.settings, patch);
    const entered = change.fresh.map(({ slot, plain }) => [fieldOf(slot), plain] as const);
    const opened = await this.opened({ ...stored, settings: change.settings });
    // The slot has to look filled: an empty one would let the operator's secret take its place.
    const settings = await sealedSettings(change, () => Promise.resolve(ENTERED));
    return buildRuntime({ ...stored, settings }, this.config, new Map([...opened, ...entered]));
  }

  /** All organizations for system administrators, else their own. */
  async list(caller: Caller, { limit, cursor }: PageRequest): Promise<Page<OrganizationSummaryDto>> {
    const only = caller.systemAdmin ? null : caller.organizationId;
    const [found, total] = await this.organizations.list(only, limit + 1, textCursor(cursor));
    const page = pageOf(found, limit, ({ slug }) => slug);
    return { ...page, items: page.items.map(summaryOf), total };
  }

  /** Every setting for administrators, the summary for other members. */
  async get(caller: Caller, slug: string): Promise<OrganizationDto | OrganizationSummaryDto> {
    const organization = await this.visible(caller, slug);
    return isOrganizationAdmin(caller) ? viewOf(organization, this.config) : summaryOf(organization);
  }

  /** Every setting of an organization; only administrators may read it. */
  async view(caller: Caller, slug: string): Promise<OrganizationDto> {
    const organization = await this.visible(caller, slug);
    assertAdministers(caller);
    return viewOf(organization, this.config);
  }

  /** Id of an organization that the caller administers. */
  async administered(caller: Caller, slug: string): Promise<string> {
    return (await this.view(caller, slug)).id;
  }

  /** Id of an organization that the caller sees. */
  async seen(caller: Caller, slug: string): Promise<string> {
    return (await this.visible(caller, slug)).id;
  }

  /** Id of an organization, for operator commands. @throws {AppError} `not_found` */
  async idOf(slug: string): Promise<string> {
    const organization = existing(await this.organizations.findBySlug(slug), 'Organization');
    return organization.id;
  }

  /** Every organization, for operator commands. */
  async *every(): AsyncGenerator<{ readonly id: string; readonly slug: string }> {
    let after: string | null = null;
    for (;;) {
      const [found]: [OrganizationEntity[], number] = await this.organizations.list(null, EVERY_BATCH, after);
      for (const { id, slug } of found) yield { id, slug };
      after = found.at(-1)?.slug ?? null;
      if (found.length < EVERY_BATCH) return;
    }
  }

  private async visible(caller: Caller, slug: string): Promise<OrganizationEntity> {
    const organization = await this.organizations.findBySlug(slug);
    assertSees(caller, organization);
    if (organization === null) throw notFound('Organization');
    return organization;
  }

  private async load(id: string): Promise<OrganizationRuntime> {
    const organization = existing(await this.organizations.findById(id), 'Organization');
    return buildRuntime(organization, this.config, await this.opened(organization));
  }

  private async opened({ id, settings }: OrganizationEntity): Promise<OpenedSecrets> {
    const stored = secretSlots(settings).flatMap((slot) => {
      const sealed = storedSecret(settings, slot);
      return sealed === null ? [] : [{ field: fieldOf(slot), sealed }];
    });
    const opened = stored.map(async ({ field, sealed }): Promise<[string, OpenedSecret]> => {
      try {
        return [field, await this.secrets.open(id, field, sealed)];
      } catch (error) {
        if (error instanceof AppError && error.code === 'secret_unavailable') return [field, error];
        throw error;
      }
    });
    return new Map(await Promise.all(opened));
  }
}
