import { Inject, Injectable, Optional } from '@nestjs/common';
import { sessionHashOf } from '../../../src/auth';
import {
  type Transaction,
  Transactions,
  isUniqueViolation,
  withinOrganization,
} from '../../../src/infrastructure/database';
import { OrganizationStatusService } from '../../../src/organizations';
import { ActivityPeopleRepository } from '../activities/activity-people.repository';
import { ActivityAssistants } from '../courses/activity-assistants.service';
import { type ActivityEntity, settingsIn } from '../courses/activity.entity';
import { type ActivityLink, ActivityRepository, type LaunchedActivity } from '../courses/activity.repository';
import { CourseRepository } from '../courses/course.repository';
import { Selections } from '../deep-linking/selections.service';
import { verifiedClaims } from '../id-token';
import { type LaunchMessage, RefusedLaunch, messageIn } from '../launch-claims';
import type { PlatformStorage } from '../browser-pages';
import { LtiPeople } from '../people.service';
import type { PlatformEntity } from '../platforms/platform.entity';
import { PlatformRepository } from '../platforms/platform.repository';
import { PlatformKeys, loginPathOf } from '../platforms/platforms.service';
import type { LaunchAttemptEntity } from './launch-attempt.entity';
import { LaunchAttemptRepository } from './launch-attempt.repository';
import { type Continued, FORMER_LINKS, type FormerLinks, type LaunchOfPlatform } from './former-links.token';
import type { LaunchTicket } from './launch-ticket.repository';
import { storageKeyOf } from './login.service';

const MOST_ASSISTANTS = 20;
const ID = /^(?:lamb_assistant\.)?(\d{1,9})$/;

/** Ids in the custom parameter `assistant`: one or several, separated by commas. Null where it is no such list. */
function assistantIdsIn(text: string): number[] | null {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const ids = parts.map((part) => Number(ID.exec(part)?.[1] ?? NaN));
  const isList = ids.length > 0 && ids.length <= MOST_ASSISTANTS && ids.every((id) => id > 0 && id < 2 ** 31);
  return isList ? [...new Set(ids)] : null;
}

const FIRST_TIME = ['lti_identities_pk', 'lti_courses_context_uq', 'users_email_key'] as const;

/** Findings of a launch. Settings count for an activity that is new here. */
interface Before extends Pick<ActivityEntity, 'linkedAssistants' | 'settings'> {
  readonly title: string;
  readonly assistantIds: readonly number[];
  /** The parameter of a link that names no assistant itself. */
  readonly assistant: string | null;
}

/** A launch that a browser has begun. */
export type LaunchAttempt = LaunchAttemptEntity;

/** A launch of any version of LTI whose message was verified. */
export interface VerifiedLaunch extends LaunchOfPlatform {
  /** Things of a former version of LTI that it continues; null for none. */
  readonly continued: Continued | null;
}

/** Checks launches and settles people, courses and activities. */
@Injectable()
export class Launches {
  constructor(
    private readonly attempts: LaunchAttemptRepository,
    private readonly platforms: PlatformRepository,
    private readonly keys: PlatformKeys,
    private readonly status: OrganizationStatusService,
    private readonly transactions: Transactions,
    private readonly people: LtiPeople,
    private readonly courses: CourseRepository,
    private readonly activities: ActivityRepository,
    private readonly activityPeople: ActivityPeopleRepository,
    private readonly assistants: ActivityAssistants,
    private readonly selections: Selections,
    @Optional() @Inject(FORMER_LINKS) private readonly former?: FormerLinks,
  ) {}

  /** The launch that a state belongs to, whatever browser asks. @throws RefusedLaunch `unknown_state` */
  async attemptOf(state: string): Promise<LaunchAttemptEntity> {
    const attempt = await this.attempts.find(sessionHashOf(state));
    if (attempt === null) throw new RefusedLaunch('unknown_state');
    return attempt;
  }

  /** Checks the token and settles everything that it tells. A refused launch leaves nothing behind. @throws RefusedLaunch */
  async settle(attempt: LaunchAttemptEntity, token: string): Promise<LaunchTicket> {
    const launch = await this.verify(attempt, token);
    if (launch.message.type === 'LtiDeepLinkingRequest') return this.select(launch);
    return this.open(launch);
  }

  /** The address that begins the same launch again, at the top level. */
  async loginAgain({ platformId, login }: LaunchAttemptEntity): Promise<string> {
    const { id, issuer, clientId } = await this.platformOf(platformId);
    const { loginHint, messageHint, deploymentId, path } = login;
    const query = new URLSearchParams({
      iss: issuer,
      client_id: clientId,
      login_hint: loginHint,
      target_link_uri: path,
      ...(messageHint !== null && { lti_message_hint: messageHint }),
      ...(deploymentId !== null && { lti_deployment_id: deploymentId }),
    });
    return `${loginPathOf(id)}?${query.toString()}`;
  }

  /** Storage in which the platform keeps the secret of the browser; null without its offer. */
  async storageOf({ platformId, storageTarget }: LaunchAttemptEntity, state: string): Promise<PlatformStorage | null> {
    if (storageTarget === null) return null;
    const { authorizationEndpoint } = await this.platformOf(platformId);
    return { target: storageTarget, origin: new URL(authorizationEndpoint).origin, key: storageKeyOf(state) };
  }

  /** Uses the attempt up, then checks the token. @throws RefusedLaunch */
  private async verify(attempt: LaunchAttemptEntity, token: string): Promise<VerifiedLaunch> {
    if (!(await this.attempts.consume(attempt))) throw new RefusedLaunch('unknown_state', 'used in the meantime');
    const platform = await this.platformOf(attempt.platformId);
    if (!platform.active) throw new RefusedLaunch('inactive_platform', `platform ${platform.id}`);
    const isNonce = (nonce: string): boolean => sessionHashOf(nonce) === attempt.nonceHash;
    const message = messageIn(await verifiedClaims(platform, this.keys, { token, isNonce }));
    const { reader } = message;
    if (!platform.deploymentIds.includes(message.deploymentId)) {
      throw new RefusedLaunch('deployment', `platform ${platform.id}`, reader);
    }
    const organization = (await this.status.of([platform.organizationId])).get(platform.organizationId);
    if (organization?.suspended !== false) throw new RefusedLaunch('organization', 'suspended', reader);
    await this.platforms.prove(platform);
    return { platform, message, continued: (await this.former?.of({ platform, message })) ?? null };
  }

  private async platformOf(id: string): Promise<PlatformEntity> {
    const platform = await this.platforms.findAnywhere(id);
    if (platform === null) throw new RefusedLaunch('unknown_platform', `platform ${id}`);
    return platform;
  }

  /** Settles everything that a verified launch tells. @throws RefusedLaunch */
  open(launch: VerifiedLaunch): Promise<LaunchTicket> {
    const { platform, message } = launch;
    const { organizationId } = platform;
    return withinOrganization(organizationId, async () => {
      const activity = await this.activityOf(launch);
      const usable = await this.usable(organizationId, activity.assistantIds, message);
      return this.settled((tx) => this.write(launch, activity, usable, tx));
    });
  }

  /** Whether the organization has the activity of a launch, or the assistants that its link names. */
  isAtHome({ platform, message, continued }: VerifiedLaunch): Promise<boolean> {
    return withinOrganization(platform.organizationId, async () => {
      try {
        const { assistantIds } = await this.activityOf({ platform, message, continued });
        const stands = await this.assistants.standOf(platform.organizationId, assistantIds);
        return stands.some(({ state }) => state !== 'missing');
      } catch (error) {
        if (error instanceof RefusedLaunch) return false;
        throw error;
      }
    });
  }

  /** An instructor chooses content for a course. */
  private select({ platform, message, continued }: VerifiedLaunch): Promise<LaunchTicket> {
    const { organizationId } = platform;
    const begin = async (tx: Transaction): Promise<LaunchTicket> => {
      await continued?.settle(tx);
      const { userId } = await this.people.admit(platform, message, tx);
      const id = await this.selections.begin(platform, message, userId, tx);
      return { organizationId, userId, assistantIds: [], activityId: null, target: `/lti/select/${id}` };
    };
    return withinOrganization(organizationId, () => this.settled(begin));
  }

  /** Writes what a launch tells, in one transaction. */
  settled(work: (tx: Transaction) => Promise<LaunchTicket>): Promise<LaunchTicket> {
    const settle = (): Promise<LaunchTicket> => this.transactions.run(work);
    return settle().catch((error: unknown) => {
      // A person, course or activity for the first time, twice at once.
      if (FIRST_TIME.some((constraint) => isUniqueViolation(error, constraint))) return settle();
      throw error;
    });
  }

  private async write(
    { platform, message, continued }: VerifiedLaunch,
    activity: LaunchedActivity,
    assistantIds: number[],
    tx: Transaction,
  ): Promise<LaunchTicket> {
    const { organizationId } = platform;
    await continued?.settle(tx);
    const { userId } = await this.people.admit(platform, message, tx);
    const { course, deploymentId, person } = message;
    const courseId = course === null ? null : await this.courses.follow(platform, deploymentId, course, tx);
    const instructor = person.role === 'instructor';
    if (courseId !== null) await this.courses.join({ organizationId, courseId, userId, instructor }, tx);
    const activityId = await this.activities.within(organizationId, tx).follow({ ...activity, courseId });
    await this.activityPeople.join({ organizationId, activityId, userId, instructor }, tx);
    const page = instructor && courseId !== null ? `/courses/${courseId}` : `/chat/${assistantIds[0]}`;
    return { organizationId, userId, assistantIds, activityId, target: `${page}?activity=${activityId}` };
  }

  /** The activity after this launch. Its assistants are those that the link names anew, else those that it has. */
  private async activityOf(launch: VerifiedLaunch): Promise<LaunchedActivity> {
    const { link, deploymentId, custom, grades, course, reader, frameOrigin } = launch.message;
    if (link === null) throw new RefusedLaunch('no_resource', 'no resource_link', reader);
    const place = { platformId: launch.platform.id, deploymentId, resourceLinkId: link.id };
    const { title, settings, ...before } = await this.before(launch, place);
    const { assistant = before.assistant } = custom;
    const assistantIds = await this.chosen(launch, assistant, before);
    return {
      ...place,
      courseId: null,
      title: link.title || title || (course?.title ?? ''),
      assistantIds,
      linkedAssistants: assistant,
      lineItemsUrl: grades.lineItemsUrl,
      lineItemUrl: grades.lineItemUrl,
      scoreScopes: [...grades.scopes],
      frameOrigin,
      settings,
    };
  }

  /** A parameter that the link did not have before names the assistants. @throws RefusedLaunch where it is no list of them */
  private async chosen(
    { platform, message: { reader } }: VerifiedLaunch,
    parameter: string | null,
    { assistantIds, linkedAssistants }: Pick<Before, 'assistantIds' | 'linkedAssistants'>,
  ): Promise<number[]> {
    if (parameter === null || parameter === linkedAssistants) return [...assistantIds];
    const numbers = assistantIdsIn(parameter);
    if (numbers === null) throw new RefusedLaunch('no_assistant', 'no list of ids', reader);
    const ids = await this.assistants.idsHere(platform.organizationId, numbers);
    if (ids === null) throw new RefusedLaunch('no_assistant', `several have a number of ${numbers.join()}`, reader);
    return ids;
  }

  /** The activity before this launch: the link's own, a former one, or an imported one, which it takes over. */
  private async before({ platform, message, continued }: VerifiedLaunch, place: ActivityLink): Promise<Before> {
    const { organizationId } = platform;
    const stored = (await this.activities.within(organizationId).ofLink(place)) ?? continued?.activity ?? null;
    if (stored !== null) {
      const { assistantIds, linkedAssistants } = stored;
      return { title: '', assistantIds, linkedAssistants, settings: {}, assistant: null };
    }
    const imported = await this.former?.imported(organizationId, message);
    if (imported != null) return { ...imported, linkedAssistants: null, assistant: null };
    const assistant = continued?.assistantId?.toString() ?? null;
    return { title: '', assistantIds: [], linkedAssistants: null, settings: settingsIn(message.custom), assistant };
  }

  /** The published ones. A teacher of a course may have none: they are chosen there. @throws RefusedLaunch where there is none */
  private async usable(
    organizationId: string,
    ids: readonly number[],
    { reader, course }: LaunchMessage,
  ): Promise<number[]> {
    const mayChoose = reader.role === 'instructor' && course !== null;
    if (ids.length === 0 && mayChoose) return [];
    if (ids.length === 0) throw new RefusedLaunch('no_assistant', 'none chosen', reader);
    const stands = await this.assistants.standOf(organizationId, ids);
    const published = stands.filter(({ state }) => state === 'published').map(({ id }) => id);
    if (published.length > 0 || mayChoose) return published;
    const isThere = stands.some(({ state }) => state === 'unpublished');
    throw new RefusedLaunch(isThere ? 'assistant_unpublished' : 'assistant_missing', ids.join(), reader);
  }
}
