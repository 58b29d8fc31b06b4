import { isJsonObject } from '@bellwether/kernel';
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../../src/infrastructure/audit';
import { type Transaction, withinOrganization } from '../../../src/infrastructure/database';
import { MemberProvisioning } from '../../../src/organizations';
import type { LaunchMessage } from '../launch-claims';
import { LtiIdentityRepository } from '../identity.repository';
import type {
  Continued,
  FormerActivity,
  FormerLinks,
  ImportedBefore,
  LaunchOfPlatform,
} from '../launch/former-links.token';
import type { BridgeKeyEntity } from './bridge-key.entity';
import { BridgeSecrets } from './bridge-secrets.service';
import type { BridgeEntity } from './bridge.entity';
import { BridgeRepository } from './bridge.repository';
import { KEY_KINDS, LAMB_PATHS, type NamedKey, guidOf, mayBeSame, peopleOf, spaceOf } from './bridge.types';
import { BridgedActivityRepository } from './bridged-activity.repository';
import { LegacyPeople } from './legacy-people.repository';

/** Compares in a time that does not depend on the texts. */
export const isSameText = (one: string, other: string): boolean => timingSafeEqual(digestOf(one), digestOf(other));

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

const CORE = 'https://purl.imsglobal.org/spec/lti/claim/';
const MOST_TEXT = 255;

/** Claim of a platform about the link and the person before the change to LTI 1.3. */
interface LegacyClaim {
  readonly consumerKey: string | null;
  readonly userId: string;
  readonly resourceLinkId: string | null;
  readonly contextId: string | null;
  /** Name of the platform; empty where it is not told. */
  readonly guid: string;
  /** The text that the consumer key's secret signs, with the signature; null for a claim without one. */
  readonly signed: { readonly base: string; readonly signature: string } | null;
}

/**
 * The claim `lti1p1` (1EdTech LTI 1.3 Migration Guide, LTI 1.1 Migration Claim). The platform leaves ids out that did not
 * change.
 */
export function legacyClaimIn(
  {
    claims,
    deploymentId,
    person,
    link,
    course,
  }: Pick<LaunchMessage, 'claims' | 'deploymentId' | 'person' | 'link' | 'course'>,
  clientId: string,
): LegacyClaim {
  const claim = objectOf(claims[`${CORE}lti1p1`]);
  const text = (...values: unknown[]): string | null => values.map(textOf).find((value) => value !== null) ?? null;
  const consumerKey = textOf(claim['oauth_consumer_key']);
  const signature = textOf(claim['oauth_consumer_key_sign']);
  const { iss, exp, nonce } = claims;
  const base = [consumerKey, deploymentId, iss, clientId, exp, nonce].join('&');
  return {
    consumerKey,
    userId: text(claim['user_id'], claims[`${CORE}lti11_legacy_user_id`]) ?? person.subject,
    resourceLinkId: text(claim['resource_link_id'], link?.id),
    contextId: text(claim['context_id'], course?.contextId),
    guid: text(claim['tool_consumer_instance_guid'], objectOf(claims[`${CORE}tool_platform`])['guid']) ?? '',
    signed: consumerKey === null || signature === null ? null : { base, signature },
  };
}

export const isSignedBy = ({ signed }: LegacyClaim, secret: string): boolean =>
  signed !== null && isSameText(createHmac('sha256', secret).update(signed.base).digest('base64'), signed.signature);

/** Whether the link of a launch still leads to LAMB's paths. */
export function leadsToLamb({ claims }: Pick<LaunchMessage, 'claims'>): boolean {
  const target = claims[`${CORE}target_link_uri`];
  if (typeof target !== 'string' || !URL.canParse(target)) return false;
  const path = new URL(target).pathname.replace(/\/$/, '');
  return Object.values<string>(LAMB_PATHS).includes(path);
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> => (isJsonObject(value) ? value : {});

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= MOST_TEXT && !value.includes('\0') ? value : null;

type Keys = readonly BridgeKeyEntity[];

/** Lets launches continue the activities and people of LTI 1.1. */
@Injectable()
export class LegacyLinks implements FormerLinks {
  constructor(
    private readonly bridges: BridgeRepository,
    private readonly secrets: BridgeSecrets,
    private readonly activities: BridgedActivityRepository,
    private readonly identities: LtiIdentityRepository,
    private readonly people: LegacyPeople,
    private readonly provisioning: MemberProvisioning,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Things that a launch of LTI 1.3 continues. People and assistants of a key are continued where its secret signed the
   * claim, or an administrator says that the platform was behind the bridge. Activities also where the link leads to
   * LAMB's paths.
   */
  async of(launch: LaunchOfPlatform): Promise<Continued | null> {
    const { platform, message } = launch;
    const { id, organizationId } = platform;
    return withinOrganization(organizationId, async () => {
      const bridge = await this.bridges.within(organizationId).own();
      if (bridge === null) return null;
      const claim = legacyClaimIn(message, platform.clientId);
      const all = await this.bridges.keysWithin(organizationId).all();
      const named = all.filter(({ consumerKey }) => consumerKey === claim.consumerKey);
      const isContinued = bridge.continuedBy.includes(id);
      const trusted =
        isContinued && claim.consumerKey === null ? all : await this.trusted(bridge, named, claim, isContinued);
      if (trusted.length === 0 && !leadsToLamb(message)) return null;
      const activity = await this.activityOf(launch, bridge, claim, trusted.length > 0 ? trusted : all);
      const assistantId = claim.consumerKey === null ? null : assistantOf(trusted);
      const settle = async (tx: Transaction): Promise<void> => {
        if (activity !== null) await this.move(launch, activity, bridge, tx);
        await this.link(launch, () => this.formerly(launch, bridge, claim, trusted, tx), '', tx);
      };
      return { activity, assistantId, settle };
    });
  }

  /** The activity that another installation had for the link, by its old identifier, else by its present one. */
  imported(organizationId: string, message: LaunchMessage): Promise<ImportedBefore | null> {
    return this.activities.imported(organizationId, legacyClaimIn(message, ''));
  }

  /** Links a launch of LTI 1.1 to the member whom another installation knew by this id. */
  adopting(launch: LaunchOfPlatform, key: NamedKey, userId: string): Continued {
    const { person } = launch.message;
    const arrival = { organizationId: launch.platform.organizationId, kind: key.kind, userId, email: person.email };
    const isInstructor = person.role === 'instructor';
    return {
      activity: null,
      assistantId: null,
      settle: (tx) =>
        this.link(launch, () => this.people.of({ ...arrival, isInstructor }, tx), `${peopleOf(key)}:`, tx),
    };
  }

  private async trusted(bridge: BridgeEntity, named: Keys, claim: LegacyClaim, isContinued: boolean): Promise<Keys> {
    if (isContinued) return named;
    const secrets = await Promise.all(named.map((key) => this.secrets.of(bridge, key)));
    return named.filter((_key, index) => {
      const secret = secrets[index] ?? null;
      return secret !== null && isSignedBy(claim, secret);
    });
  }

  private async activityOf(
    { platform, message }: LaunchOfPlatform,
    { id: bridgeId }: BridgeEntity,
    { resourceLinkId, contextId, guid }: LegacyClaim,
    keys: Keys,
  ): Promise<FormerActivity | null> {
    if (message.link === null || resourceLinkId === null) return null;
    const { organizationId } = platform;
    const spaces = keys.map(spaceOf);
    return this.activities.find({ organizationId, bridgeId, resourceLinkId, contextId, guid, spaces });
  }

  private async move(
    { platform, message }: LaunchOfPlatform,
    activity: FormerActivity,
    { id: bridgeId }: BridgeEntity,
    tx: Transaction,
  ): Promise<void> {
    if (message.link === null) return;
    const place = {
      platformId: platform.id,
      deploymentId: message.deploymentId,
      resourceLinkId: message.link.id,
      contextId: message.course?.contextId ?? null,
    };
    await this.activities.move(activity, bridgeId, place, tx);
  }

  /** The accounts that the person had by launches of LTI 1.1, or at another installation. */
  private async formerly(
    { platform, message }: LaunchOfPlatform,
    { id: bridgeId }: BridgeEntity,
    { userId, guid }: LegacyClaim,
    keys: Keys,
    tx: Transaction,
  ): Promise<string[]> {
    const found: string[] = [];
    const sorted = [...keys].sort((one, other) => KEY_KINDS.indexOf(one.kind) - KEY_KINDS.indexOf(other.kind));
    for (const space of new Set(sorted.map(peopleOf))) {
      const rows = await this.identities.named(bridgeId, `${space}:`, `:${userId}`, tx);
      const known = rows.flatMap((row) => {
        const other = guidOf(row.subject, space, userId);
        return other !== null && mayBeSame(guid, other) ? [{ ...row, isExact: other === guid }] : [];
      });
      const exact = known.find(({ isExact }) => isExact) ?? (known.length === 1 ? known[0] : undefined);
      if (exact !== undefined) found.push(exact.userId);
    }
    const { organizationId } = platform;
    const { email, role } = message.person;
    for (const kind of new Set(sorted.map((key) => key.kind))) {
      found.push(
        ...(await this.people.of({ organizationId, kind, userId, email, isInstructor: role === 'instructor' }, tx)),
      );
    }
    return found;
  }

  /**
   * Links the subject to the first of the accounts, unless it is linked. Never to an administrator's: a course platform
   * would then sign in as one. An account has one subject among those that begin with `space`.
   */
  private async link(
    { platform, message }: LaunchOfPlatform,
    accounts: () => Promise<readonly string[]>,
    space: string,
    tx: Transaction,
  ): Promise<void> {
    const { id: platformId, organizationId } = platform;
    const { subject } = message.person;
    if ((await this.identities.find({ platformId, subject }, tx)) !== null) return;
    for (const userId of await accounts()) {
      const member = await this.provisioning.find(organizationId, userId, tx);
      if (member === null || member.systemAdmin || member.role === 'owner' || member.role === 'admin') continue;
      if (await this.identities.isLinkedIn(platformId, space, userId, tx)) continue;
      await this.identities.save({ platformId, subject, organizationId, userId }, tx);
      const target = { type: 'member', id: userId };
      const after = { lti_platform: platformId, subject };
      return this.audit.record({ caller: null, organizationId, action: 'identity.link', target, after }, tx);
    }
  }
}

const assistantOf = (keys: Keys): number | null =>
  keys.map(({ assistantId }) => assistantId).find((id) => id !== null) ?? null;
