import { AppError, type Caller, type EndUserName, isJsonObject } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { OutboundClient } from '../infrastructure/outbound';
import { MembersService, type MoodleRuntime, OrganizationsService } from '../organizations';
import { siteNameIn } from './moodle-answers';
import { MOODLE_FUNCTIONS, MoodleConnection, MoodleSite, moodleMemory } from './moodle-site';
import type { MoodleIdentity } from './moodle.types';

export interface ProbedMoodle {
  /** Name of the site. */
  readonly name: string;
  /** Web service functions that assistants need and this token may not call. */
  readonly missing: readonly string[];
}

/** Asks a Moodle once whether address and token are right. Rejects as `MoodleConnection` does. */
@Injectable()
export class MoodleProbe {
  constructor(@Inject(OutboundClient) private readonly outbound: Pick<OutboundClient, 'request'>) {}

  async site(
    organizationId: string,
    { apiUrl, token, trusted }: MoodleRuntime,
    signal: AbortSignal,
  ): Promise<ProbedMoodle> {
    if (token === null || token === '') {
      throw new AppError('connector_not_configured', 'Moodle requires a token');
    }
    const connection = new MoodleConnection(this.outbound, { organizationId, apiUrl, token, trusted });
    const answer = await connection.call('core_webservice_get_site_info', {}, signal);
    const name = siteNameIn(answer);
    if (name === null || !isJsonObject(answer)) {
      throw new AppError('upstream_bad_response', 'The answer is not that of a Moodle');
    }
    const listed: readonly unknown[] = Array.isArray(answer['functions']) ? answer['functions'] : [];
    const callable = new Set(listed.filter(isJsonObject).map((each) => each['name']));
    return { name, missing: MOODLE_FUNCTIONS.filter((each) => !callable.has(each)) };
  }
}

export interface MoodleUserText {
  readonly text: string;
  readonly warnings: readonly string[];
}

/** Connects to the Moodle of an organization and identifies the caller there. */
@Injectable()
export class MoodleService {
  private readonly memory = moodleMemory();

  constructor(
    @Inject(OrganizationsService) private readonly organizations: Pick<OrganizationsService, 'runtime'>,
    @Inject(MembersService) private readonly members: Pick<MembersService, 'find'>,
    @Inject(OutboundClient) private readonly outbound: Pick<OutboundClient, 'request'>,
  ) {}

  /** Null without a configured Moodle. @throws {AppError} `secret_unavailable` */
  async site(organizationId: string): Promise<MoodleSite | null> {
    const { moodle } = await this.organizations.runtime(organizationId);
    if (moodle === null) return null;
    const { apiUrl, token, trusted } = moodle;
    if (token === null || token === '') return null;
    const target = { organizationId, apiUrl, token, trusted };
    return new MoodleSite(new MoodleConnection(this.outbound, target), this.memory, target);
  }

  /**
   * The caller's id for a prompt: Moodle's id, or else the identity known here. Empty for a caller of another organization,
   * whose identity the owner of the assistant must not learn.
   * @throws {AppError} `cancelled`
   */
  async userText(caller: Caller, organizationId: string, signal: AbortSignal): Promise<MoodleUserText> {
    if (caller.organizationId !== organizationId) return { text: '', warnings: [] };
    const identity = await this.identityOf(caller);
    if (identity === null) return { text: '', warnings: caller.endUser === undefined ? [] : [SWITCHED_OFF] };
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
   * The person behind a request: the named end user, else the caller by e-mail address. Null for a gateway's key without a
   * named end user, because its owner is not the person who asks, and for a member who is switched off. Who may name an
   * end user vouches for the address as for Moodle's ids and "ID numbers": most students have no account here, and Moodle
   * decides whom they name. Further names of the request follow as `next`.
   */
  async identityOf(caller: Caller): Promise<MoodleIdentity | null> {
    if (caller.endUser === undefined) {
      return caller.mayNameEndUser === undefined ? this.memberBy(caller, caller.userId) : null;
    }
    const { endUser } = caller;
    const identities: (MoodleIdentity | null)[] = [];
    for (const name of [endUser, ...(endUser.others ?? [])]) {
      const named = identityOf(name);
      identities.push(named.field === 'email' ? await this.memberBy(caller, named.value, named) : named);
    }
    if (identities[0] === null) return null;
    return identities.reduceRight((next, each) => {
      if (each === null || next === null) return each ?? next;
      return { ...each, next };
    }, null);
  }

  private async memberBy(
    { organizationId }: Caller,
    userIdOrEmail: string,
    otherwise: MoodleIdentity | null = null,
  ): Promise<MoodleIdentity | null> {
    const member = await this.members.find(organizationId, userIdOrEmail);
    if (member === null) return otherwise;
    return member.disabled ? null : { field: 'email', value: member.email };
  }
}

const SWITCHED_OFF = 'the person whom the request names is switched off in this organization';

const NUMBER = /^[1-9]\d{0,14}$/;

/**
 * An LTI launch from Moodle sends Moodle's id as `user_id` and the "ID number" of the profile as `lis_person_sourcedid`. Ids of
 * Open WebUI match only if they are such ID numbers.
 */
function identityOf({ source, id }: EndUserName): MoodleIdentity {
  if (id.includes('@') && source !== 'metadata.lis_person_sourcedid') return { field: 'email', value: id };
  const isMoodles = source === 'metadata.user_id' || source === 'metadata.lti_user_id';
  return { field: isMoodles && NUMBER.test(id) ? 'id' : 'idnumber', value: id };
}
