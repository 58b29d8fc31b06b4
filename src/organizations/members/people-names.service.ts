import { Injectable } from '@nestjs/common';
import { AcrossOrganizations, Transactions } from '../../infrastructure/database';
import { MemberRepository, type PersonRow } from '../storage/member.repository';

export type PersonName = Omit<PersonRow, 'id'>;

/** Names for ids of people, also of people who have left the organization. */
@Injectable()
export class PeopleNames {
  constructor(
    private readonly members: MemberRepository,
    private readonly transactions: Transactions,
  ) {}

  /** System administrators act in organizations of which they are no members. */
  @AcrossOrganizations('directory')
  async of(organizationId: string, ids: readonly string[]): Promise<ReadonlyMap<string, PersonName>> {
    if (ids.length === 0) return new Map();
    const people = await this.members.people(organizationId, ids);
    return new Map(people.map(({ id, email, name }) => [id, { email, name }]));
  }

  /** Id of the person with an address; null without one. */
  @AcrossOrganizations('directory')
  idOf(email: string): Promise<string | null> {
    return this.transactions.run((tx) => this.members.personWith(email, tx));
  }
}
