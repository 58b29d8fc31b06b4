import { AppError, type Caller, existing, atMost } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import {
  type Member,
  MembersService,
  type OrganizationRequest,
  OrganizationsService,
  assertOutranks,
} from '../../organizations';
import { ApiKeyRepository } from '../api-key.repository';
import { scopesOf } from '../sessions/role-scopes';

const MINUTE_MS = 60_000;
const PER_MINUTE = 60;
const MOST_PEOPLE = 10_000;

/** Limits the links and invitations that one person makes in a minute. */
export class InvitationRate {
  private readonly windows = new LRUCache<string, { readonly endsAt: number; count: number }>(atMost(MOST_PEOPLE));

  constructor(private readonly now: () => number = Date.now) {}

  /** @throws {AppError} `too_many_requests` */
  count(userId: string): void {
    const found = this.windows.get(userId);
    const window =
      found !== undefined && found.endsAt > this.now() ? found : { endsAt: this.now() + MINUTE_MS, count: 0 };
    this.windows.set(userId, window);
    window.count += 1;
    if (window.count <= PER_MINUTE) return;
    const retryAfter = Math.max(1, Math.ceil((window.endsAt - this.now()) / 1_000));
    throw new AppError('too_many_requests', `At most ${PER_MINUTE} links and invitations a minute`, {
      reason: 'link.too_many',
      values: { limit: PER_MINUTE },
      retryAfter,
    });
  }
}

export interface Invitable {
  readonly organizationId: string;
  readonly member: Member;
}

/** The members that a caller may let in by link or e-mail. */
@Injectable()
export class InvitableMembers {
  private readonly rate = new InvitationRate();

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
