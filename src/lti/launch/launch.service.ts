import { Injectable } from '@nestjs/common';
import { sessionHashOf } from '../../auth';
import { StandingService } from '../../organizations';
import { isUniqueViolation, type Transaction, Transactions, withinOrganization } from '../../platform/database';
import type { ActivityEntity } from '../courses/activity.entity';
import { Selections } from '../deep-linking/selections.service';
import { ActivityRepository, type LaunchedActivity } from '../courses/activity.repository';
import { ActivityAssistants } from '../courses/activity-assistants.service';
import { CourseRepository } from '../courses/course.repository';
import { assistantIdsIn } from '../courses/linked-assistants';
import { LegacyActivities } from '../legacy/legacy-activity.repository';
import { verifiedClaims } from '../messages/id-token';
import { type LaunchMessage, messageIn } from '../messages/launch-claims';
import { RefusedLaunch } from '../messages/launch.errors';
import { LtiPeople } from '../people/people.service';
import type { PlatformEntity } from '../platforms/platform.entity';
import { PlatformRepository } from '../platforms/platform.repository';
import { PlatformKeys } from '../platforms/platform-keys.service';
import type { LaunchAttemptEntity } from './attempt.entity';
import { LaunchAttemptRepository } from './attempt.repository';
import type { PlatformStorage } from '../pages/browser-pages';
import type { Handover } from './handover.repository';
import { storageKeyOf } from './login.service';

const FIRST_TIME = ['lti_identities_pk', 'lti_courses_context_uq', 'users_email_key'] as const;

/** Null for a parameter that is no list of ids. */
function chosenIn(
  parameter: string | null,
  stored: (Pick<ActivityEntity, 'assistantIds'> & Partial<Pick<ActivityEntity, 'linkedAssistants'>>) | null,
): number[] | null {
  const isNew = parameter !== null && parameter !== stored?.linkedAssistants;
  return isNew ? assistantIdsIn(parameter) : (stored?.assistantIds ?? []);
}

/** A launch that a browser has begun. */
export type LaunchAttempt = LaunchAttemptEntity;

interface VerifiedLaunch {
  readonly platform: PlatformEntity;
  readonly message: LaunchMessage;
}

/** Checks launches and settles people, courses and activities. */
@Injectable()
export class Launches {
  constructor(
    private readonly attempts: LaunchAttemptRepository,
    private readonly platforms: PlatformRepository,
    private readonly keys: PlatformKeys,
    private readonly standing: StandingService,
    private readonly transactions: Transactions,
    private readonly people: LtiPeople,
    private readonly courses: CourseRepository,
    private readonly activities: ActivityRepository,
    private readonly assistants: ActivityAssistants,
    private readonly legacy: LegacyActivities,
    private readonly selections: Selections,
  ) {}

  /** The launch that a state belongs to, whatever browser asks. @throws RefusedLaunch `unknown_state` */
  async attemptOf(state: string): Promise<LaunchAttemptEntity> {
    const attempt = await this.attempts.find(sessionHashOf(state));
    if (attempt === null) throw new RefusedLaunch('unknown_state');
    return attempt;
  }

  /** Checks the token and settles everything that it tells. A refused launch leaves nothing behind. @throws RefusedLaunch */
  async settle(attempt: LaunchAttemptEntity, token: string): Promise<Handover> {
    const launch = await this.verify(attempt, token);
    if (launch.message.type === 'LtiDeepLinkingRequest') return this.select(launch);
    return this.open(launch);
  }

  /** The address that begins the same launch again, at the top level. */
  async loginAgain({ platformId, login }: LaunchAttemptEntity): Promise<string> {
    const { issuer, clientId } = await this.platformOf(platformId);
    const { loginHint, messageHint, deploymentId, path } = login;
    const query = new URLSearchParams({
      iss: issuer,
      client_id: clientId,
      login_hint: loginHint,
      target_link_uri: path,
      ...(messageHint !== null && { lti_message_hint: messageHint }),
      ...(deploymentId !== null && { lti_deployment_id: deploymentId }),
    });
    return `/lti/login?${query.toString()}`;
  }

  /** Where the platform keeps the secret of the browser; null without its offer. */
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
    const organization = (await this.standing.of([platform.organizationId])).get(platform.organizationId);
    if (organization?.suspended !== false) throw new RefusedLaunch('organization', 'suspended', reader);
    return { platform, message };
  }

  private async platformOf(id: string): Promise<PlatformEntity> {
    const platform = await this.platforms.findAnywhere(id);
    if (platform === null) throw new RefusedLaunch('unknown_platform', `platform ${id}`);
    return platform;
  }

  private open({ platform, message }: VerifiedLaunch): Promise<Handover> {
    const { organizationId } = platform;
    return withinOrganization(organizationId, async () => {
      const activity = await this.activityOf({ platform, message });
      const usable = await this.usable(organizationId, activity.assistantIds, message);
      return this.settled((tx) => this.write({ platform, message }, activity, usable, tx));
    });
  }

  /** An instructor chooses content for a course. */
  private select({ platform, message }: VerifiedLaunch): Promise<Handover> {
    const { organizationId } = platform;
    const begin = async (tx: Transaction): Promise<Handover> => {
      const { userId } = await this.people.admit(platform, message, tx);
      const id = await this.selections.begin(platform, message, userId, tx);
      return { organizationId, userId, assistantIds: [], target: `/lti/select/${id}` };
    };
    return withinOrganization(organizationId, () => this.settled(begin));
  }

  private settled(work: (tx: Transaction) => Promise<Handover>): Promise<Handover> {
    const settle = (): Promise<Handover> => this.transactions.run(work);
    return settle().catch((error: unknown) => {
      // A person, course or activity for the first time, twice at once.
      if (FIRST_TIME.some((constraint) => isUniqueViolation(error, constraint))) return settle();
      throw error;
    });
  }

  private async write(
    { platform, message }: VerifiedLaunch,
    activity: LaunchedActivity,
    assistantIds: number[],
    tx: Transaction,
  ): Promise<Handover> {
    const { organizationId } = platform;
    const { userId } = await this.people.admit(platform, message, tx);
    const { course, deploymentId, person } = message;
    const courseId = course === null ? null : await this.courses.follow(platform, deploymentId, course, tx);
    if (courseId !== null) {
      const instructor = person.role === 'instructor';
      await this.courses.join({ organizationId, courseId, userId, instructor }, tx);
    }
    const id = await this.activities.within(organizationId, tx).follow({ ...activity, courseId });
    return { organizationId, userId, assistantIds, target: `/chat/${assistantIds[0]}?activity=${id}` };
  }

  /** The activity after this launch. Its assistants are those that the link names anew, else those that it has. */
  private async activityOf({ platform, message }: VerifiedLaunch): Promise<LaunchedActivity> {
    const { link, deploymentId, custom, grades, course } = message;
    if (link === null) throw new RefusedLaunch('no_resource', 'no resource_link', message.reader);
    const known = { platformId: platform.id, deploymentId, resourceLinkId: link.id };
    const stored = await this.activities.within(platform.organizationId).ofLink(known);
    const { assistant = null } = custom;
    // An imported activity is taken over at the first launch of its link.
    const imported = stored === null ? await this.legacy.find(platform.organizationId, message) : null;
    const assistantIds = chosenIn(assistant, stored ?? imported);
    if (assistantIds === null) throw new RefusedLaunch('no_assistant', 'no list of ids', message.reader);
    return {
      ...known,
      courseId: null,
      title: link.title || imported?.title || (course?.title ?? ''),
      assistantIds,
      linkedAssistants: assistant,
      lineItemsUrl: grades.lineItemsUrl,
      lineItemUrl: grades.lineItemUrl,
      scoreScopes: [...grades.scopes],
      frameOrigin: message.frameOrigin,
      settings: imported === null ? {} : { teachersRead: imported.teachersRead },
    };
  }

  /** The published ones. @throws RefusedLaunch where there is none */
  private async usable(organizationId: string, ids: readonly number[], { reader }: LaunchMessage): Promise<number[]> {
    if (ids.length === 0) throw new RefusedLaunch('no_assistant', 'none chosen', reader);
    const stands = await this.assistants.standOf(organizationId, ids);
    const published = stands.filter(({ state }) => state === 'published').map(({ id }) => id);
    if (published.length > 0) return published;
    const isThere = stands.some(({ state }) => state === 'unpublished');
    throw new RefusedLaunch(isThere ? 'assistant_unpublished' : 'assistant_missing', ids.join(), reader);
  }
}
