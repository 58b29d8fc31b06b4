import { Inject, Injectable } from '@nestjs/common';
import { AppError, type Caller, type EndUser } from '../kernel';
import { MembersService, OrganizationsService } from '../organizations';
import { OutboundClient } from '../platform/outbound';
import { MoodleConnection } from './moodle-connection';
import { moodleMemory, MoodleSite } from './moodle-site';
import type { MoodleIdentity } from './moodle.types';

export interface MoodleUserText {
  readonly text: string;
  readonly warnings: readonly string[];
}

/** The Moodle of each organization, and who the caller is there. */
@Injectable()
export class MoodleService {
  private readonly memory = moodleMemory();

  constructor(
    @Inject(OrganizationsService) private readonly organizations: Pick<OrganizationsService, 'runtime'>,
    @Inject(MembersService) private readonly members: Pick<MembersService, 'find'>,
    @Inject(OutboundClient) private readonly outbound: Pick<OutboundClient, 'request'>,
  ) {}

  /** null where the organization has no Moodle. @throws AppError `secret_unavailable` */
  async site(organizationId: string): Promise<MoodleSite | null> {
    const { moodle } = await this.organizations.runtime(organizationId);
    if (moodle === null) return null;
    const { apiUrl, token, trusted } = moodle;
    if (token === null || token === '') return null;
    const target = { organizationId, apiUrl, token, trusted };
    return new MoodleSite(new MoodleConnection(this.outbound, target), this.memory, target);
  }

  /**
   * What a prompt is told of who asks: Moodle's number for them, or else what they are known by here. Empty for somebody of
   * another organization than the assistant's, whom its owner has no business to know.
   * @throws AppError `cancelled`
   */
  async userText(caller: Caller, organizationId: string, signal: AbortSignal): Promise<MoodleUserText> {
    const identity = caller.organizationId === organizationId ? await this.identityOf(caller) : null;
    if (identity === null) return { text: '', warnings: [] };
    try {
      const site = await this.site(organizationId);
      const id = site === null ? null : await site.userId(identity, signal);
      return { text: id === null ? identity.value : String(id), warnings: [] };
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'cancelled') throw error;
      return { text: identity.value, warnings: [`the Moodle user could not be looked up: ${error.detail}`] };
    }
  }

  /**
   * Whom the request is for: whom it names, where it may, else the caller by their e-mail address. null where it may name
   * somebody and does not: the owner of a gateway's key is none of the people behind it. Also null for an e-mail address of
   * no enabled member. Moodle's numbers and "ID numbers" belong to no account here and are left to Moodle.
   */
  async identityOf(caller: Caller): Promise<MoodleIdentity | null> {
    if (caller.endUser === undefined) {
      return caller.mayNameEndUser === undefined ? this.memberBy(caller, caller.userId) : null;
    }
    const named = identityOf(caller.endUser);
    return named.field === 'email' ? this.memberBy(caller, named.value) : named;
  }

  private async memberBy({ organizationId }: Caller, userIdOrEmail: string): Promise<MoodleIdentity | null> {
    const member = await this.members.find(organizationId, userIdOrEmail);
    return member === null || member.disabled ? null : { field: 'email', value: member.email };
  }
}

const NUMBER = /^[1-9]\d{0,14}$/;

/**
 * An LTI launch from Moodle carries Moodle's number as `user_id` and the "ID number" of the profile as
 * `lis_person_sourcedid`; Open WebUI's ids mean nothing to Moodle unless they are such ID numbers.
 */
function identityOf({ source, id }: EndUser): MoodleIdentity {
  if (id.includes('@') && source !== 'metadata.lis_person_sourcedid') return { field: 'email', value: id };
  const isMoodles = source === 'metadata.user_id' || source === 'metadata.lti_user_id';
  return { field: isMoodles && NUMBER.test(id) ? 'id' : 'idnumber', value: id };
}
