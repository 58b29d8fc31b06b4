import { AppError, type Caller, existing } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import {
  type Member,
  MembersService,
  type OrganizationRequest,
  OrganizationsService,
  assertOutranks,
} from '../../organizations';
import { ApiKeyRepository } from '../api-key.repository';
import { scopesOf } from '../sessions/role-scopes';
import { LinkRate } from '../sign-in/link-rate';

export interface Invitable {
  readonly organizationId: string;
  readonly member: Member;
}

/** The members that a caller may let in by link or e-mail. */
@Injectable()
export class InvitableMembers {
  private readonly rate = new LinkRate();

  constructor(
    private readonly organizations: OrganizationsService,
    private readonly members: MembersService,
    private readonly keys: ApiKeyRepository,
  ) {}

  /**
   * `reference`: user id or e-mail address. A link opens a session of the member, so it needs every right of the member.
   * @throws {AppError} `not_found`, `forbidden`, `conflict`, `feature_disabled`, `too_many_requests`
   */
  async find({ caller, organizationId }: OrganizationRequest, reference: string): Promise<Invitable> {
    const member = existing(await this.members.find(organizationId, reference), 'Member');
    assertOutranks(caller, member);
    await this.assertAsWide(caller, member);
    if (member.disabled)
      throw new AppError('conflict', 'This member is disabled: enable the member first', { reason: 'member.disabled' });
    const { features } = await this.organizations.runtime(organizationId);
    if (!features.local_sign_in && !member.systemAdmin) {
      throw new AppError('feature_disabled', 'People of this organization sign in through their institution', {
        reason: 'member.by_institution',
      });
    }
    this.rate.count(caller.userId);
    return { organizationId, member };
  }

  /** A limited key must not open an unlimited session. */
  private async assertAsWide(caller: Caller, { role }: Member): Promise<void> {
    const lacks = scopesOf(role).filter((scope) => !caller.scopes.includes(scope));
    const expires = caller.credentialId === null ? null : await this.keys.expiryOf(caller.credentialId);
    if (lacks.length === 0 && caller.assistantIds === null && expires === null) return;
    throw new AppError(
      'forbidden',
      'A key that expires, or has fewer rights than the member, cannot make a sign-in link. Sign in to make it.',
      { reason: 'link.needs_sign_in' },
    );
  }
}
