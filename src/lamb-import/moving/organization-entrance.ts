import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { JsonObject } from '../../kernel';
import { type ArrivingOrganization, OrganizationArrivals } from '../../organizations';
import { SecretsService } from '../../platform/secrets';
import { canonical, fingerprint } from '../reading/fingerprint';
import { readSettings } from '../reading/organization-settings';
import { ownSlug } from '../reading/organization-slug';
import { cleanLabel } from '../reading/storable';
import type { LambOrganization } from '../source/lamb-source.types';
import { OriginRepository } from '../storage/origin.repository';
import type { Ground } from './landings';
import type { About, Tally } from './tally';

const LONGEST_NAME = 200;

export const aboutOrganization = ({ id, slug }: LambOrganization): About => ({
  kind: 'organization',
  origin: id,
  name: slug,
});

/** The organization itself: its name, standing and settings. */
@Injectable()
export class OrganizationEntrance {
  constructor(
    private readonly arrivals: OrganizationArrivals,
    private readonly origins: OriginRepository,
    private readonly secrets: SecretsService,
  ) {}

  /** As it is to be here. Asks for the addresses of its servers, so it may take a moment. */
  async plan(organization: LambOrganization, tally: Tally): Promise<ArrivingOrganization> {
    const about = aboutOrganization(organization);
    const slug = ownSlug(organization.slug, organization.id);
    const name = cleanLabel(organization.name, LONGEST_NAME) || slug;
    this.tell(organization, slug, tally);
    const { settings, notes } = readSettings(organization);
    for (const { code, path, message } of notes) tally.note(about, code, `${path} ${message}`);
    const accepted = this.accepted(settings, about, tally);
    for (const { path, message } of await this.arrivals.unreachable(accepted)) {
      tally.note(about, 'address.refused', `${path}: ${message}; see OUTBOUND_ALLOW`);
    }
    return { slug, name, suspended: organization.status === 'suspended', settings: accepted };
  }

  /** True when there is an organization now to put things into. */
  async enter(
    organization: LambOrganization,
    planned: ArrivingOrganization,
    { organizationId, tx }: Ground,
    source: string,
    tally: Tally,
  ): Promise<boolean> {
    const about = aboutOrganization(organization);
    const { slug, ...rest } = planned;
    const known = await this.origins.organization(source, String(organization.id), tx);
    const prints = this.prints(rest);
    if (known === null) {
      if (await this.arrivals.slugTaken(slug, tx)) {
        tally.conflict(about, 'slug.taken', `an organization ${slug} is here already and did not come from this one`);
        return false;
      }
      await this.arrivals.make(organizationId, planned, tx);
      tally.count('organization', 'created');
    } else {
      if (prints.includes(known.importedSha256)) {
        tally.count('organization', 'unchanged');
        return true;
      }
      if ((await this.standingPrint({ organizationId, tx })) !== known.localSha256) {
        tally.conflict(
          about,
          'changed_on_both_sides',
          'its settings were changed here and at the source; ours were kept',
        );
        return true;
      }
      await this.arrivals.rewrite(organizationId, rest, tx);
      tally.count('organization', 'updated');
    }
    const origin = {
      originId: String(organization.id),
      localId: organizationId,
      importedSha256: prints[0] ?? '',
      localSha256: await this.standingPrint({ organizationId, tx }),
    };
    await this.origins.save(organizationId, source, 'organization', [origin], tx);
    return true;
  }

  private tell(organization: LambOrganization, slug: string, tally: Tally): void {
    const about = aboutOrganization(organization);
    if (slug !== organization.slug) tally.note(about, 'slug.changed', `its slug is ${slug} here`);
    if (organization.status === 'trial') tally.note(about, 'status.trial', 'was on trial there; here it is active');
    if (organization.isSystem) {
      tally.note(about, 'organization.system', "was the operator's own there; here it is one like the others");
    }
  }

  /** Without the parts that our own rules refuse. */
  private accepted(settings: JsonObject, about: About, tally: Tally): JsonObject {
    let accepted = settings;
    for (const { path, message } of this.arrivals.problems(settings)) {
      const [part = '', name = ''] = path.split('.');
      accepted = part === 'providers' ? withoutProvider(accepted, name) : { ...accepted, [part]: null };
      tally.note(about, 'setting.left_out', `${path} ${message}`);
    }
    return accepted;
  }

  private async standingPrint({ organizationId, tx }: Ground): Promise<string> {
    const ours = await this.arrivals.standing(organizationId, tx);
    return fingerprint(ours === null ? null : { name: ours.name, suspended: ours.suspended, settings: ours.settings });
  }

  /** Keyed, newest key first: settings hold secrets, and a plain hash would let short ones be guessed. */
  private prints(value: Omit<ArrivingOrganization, 'slug'>): string[] {
    const keys = this.secrets.derivedKeys('import/settings');
    if (keys.length === 0) return [fingerprint(value)];
    return keys.map((key) => createHmac('sha256', key).update(canonical(value)).digest('hex'));
  }
}

function withoutProvider(settings: JsonObject, name: string): JsonObject {
  const providers = Object.entries(settings['providers'] ?? {}).filter(([key]) => key !== name);
  return { ...settings, providers: providers.length === 0 ? null : Object.fromEntries(providers) };
}
