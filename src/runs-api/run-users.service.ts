import type { Caller } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { OrganizationsService, UserNames, PersonPseudonyms } from '../organizations';
import type { RunRecord } from '../runs';
import type { RunPersonDto } from './run.dto';

/** The askers of runs as a reader may see them: names, or pseudonyms where the organization asks for them. */
@Injectable()
export class RunUsers {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly names: UserNames,
    private readonly pseudonyms: PersonPseudonyms,
  ) {}

  /** Askers of the runs by user id. Readers see themselves by name. */
  async of(
    { organizationId, userId }: Caller,
    records: readonly RunRecord[],
  ): Promise<ReadonlyMap<string, RunPersonDto>> {
    const ids = [...new Set(records.map((record) => record.userId))];
    const people = new Map<string, RunPersonDto>();
    if (ids.length === 0) return people;
    const hidden = (await this.arePseudonymous(organizationId)) ? ids.filter((id) => id !== userId) : [];
    if (hidden.length > 0) {
      const pseudonymOf = await this.pseudonyms.within(organizationId);
      for (const id of hidden) people.set(id, { user_id: null, name: null, pseudonym: pseudonymOf(id) });
    }
    const shown = ids.filter((id) => !people.has(id));
    for (const [id, { name }] of await this.names.of(organizationId, shown)) {
      people.set(id, { user_id: id, name, pseudonym: null });
    }
    return people;
  }

  /** Whether runs can be found by this person's id. */
  async canFilterBy({ organizationId, userId }: Caller, wanted: string): Promise<boolean> {
    return wanted === userId || !(await this.arePseudonymous(organizationId));
  }

  private async arePseudonymous(organizationId: string): Promise<boolean> {
    const { privacy } = await this.organizations.runtime(organizationId);
    return privacy.usage_people === 'pseudonymous';
  }
}
