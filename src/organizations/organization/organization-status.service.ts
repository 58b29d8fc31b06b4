import { Injectable } from '@nestjs/common';
import { MemberRepository, type MemberRow } from '../member.repository';
import { OrganizationRepository } from '../organization.repository';
import { featuresOf } from '../runtime.builder';
import type { Features } from '../settings/settings.types';

/** State that decides whether an organization takes part in a call. */
export interface OrganizationStatus {
  readonly id: string;
  readonly slug: string;
  readonly suspended: boolean;
  readonly features: Features;
  readonly limits: Readonly<Record<string, unknown>>;
}

/** Reads state without a cache, for decisions that must hold at once. */
@Injectable()
export class OrganizationStatusService {
  constructor(
    private readonly organizations: OrganizationRepository,
    private readonly members: MemberRepository,
  ) {}

  /** Status by id; unknown organizations are missing. */
  async of(ids: readonly string[]): Promise<ReadonlyMap<string, OrganizationStatus>> {
    const rows = await this.organizations.findAll([...new Set(ids)]);
    return new Map(
      rows.map(({ id, slug, suspended, settings }) => [
        id,
        { id, slug, suspended, features: featuresOf(settings), limits: settings.limits ?? {} },
      ]),
    );
  }

  /** Id of the operator's own organization; null before the first start. */
  async systemId(): Promise<string | null> {
    return (await this.organizations.findSystem())?.id ?? null;
  }

  /** Rights of a member; null for everyone who is not a member of this organization. */
  async member(
    organizationId: string,
    userId: string,
  ): Promise<Pick<MemberRow, 'role' | 'disabled' | 'systemAdmin'> | null> {
    return this.members.within(organizationId).find(userId);
  }
}
