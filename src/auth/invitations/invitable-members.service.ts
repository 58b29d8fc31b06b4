import { AppError, type Caller, type Role, existing } from '@bellwether/kernel';
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

/** @throws {AppError} `feature_disabled` where people sign in through their institution only */
export function assertLocalSignIn({ local_sign_in: isOn }: { readonly local_sign_in: boolean }): void {
  if (isOn) return;
  throw new AppError('feature_disabled', 'People of this organization sign in through their institution', {
    reason: 'member.by_institution',
  });
}

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
    if (!member.systemAdmin) assertLocalSignIn(features);
    this.rate.count(caller.userId);
    return { organizationId, member };
  }

  /**
   * Checks that the caller may let somebody in with a role, whoever it is.
   * @throws {AppError} `feature_disabled` where people sign in through their institution only, `forbidden` for a key that
   * is narrower than the role or expires, `too_many_requests`
   */
  async assertLetsIn({ caller, organizationId }: OrganizationRequest, role: Role): Promise<void> {
    assertLocalSignIn((await this.organizations.runtime(organizationId)).features);
    await this.assertAsWide(caller, { role });
    this.rate.count(caller.userId);
  }

  /** A limited key must not open an unlimited session. */
  private async assertAsWide(caller: Caller, { role }: Pick<Member, 'role'>): Promise<void> {
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
