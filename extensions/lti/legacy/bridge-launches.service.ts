import type { JsonObject } from '@bellwether/kernel';
import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Transaction, withinOrganization } from '../../../src/infrastructure/database';
import { OrganizationsService, OrganizationStatusService } from '../../../src/organizations';
import type { LaunchTicket } from '../launch/launch-ticket.repository';
import { Launches, type VerifiedLaunch } from '../launch/launch.service';
import type { BridgeKeyEntity } from './bridge-key.entity';
import { BridgeSecrets } from './bridge-secrets.service';
import { BridgeRepository, type KeyOfBridge } from './bridge.repository';
import { type KeyKind, nameIn, peopleOf, spaceOf } from './bridge.types';
import { LegacyLinks, isSameText } from './legacy-links.service';
import { type LaunchMessage, RefusedLaunch, messageIn } from '../launch-claims';
import { LtiPeople } from '../people.service';
import { PlatformRepository } from '../platforms/platform.repository';
import { NonceRepository } from './nonce.repository';
import { type SignedForm, assertInTime, hmacSha1 } from './signed-form';
import { isOver } from './settings/bridge-settings.service';

const CORE = 'https://purl.imsglobal.org/spec/lti/claim/';
const INSTITUTION = 'http://purl.imsglobal.org/vocab/lis/v2/institution/person#';
const CUSTOM = 'custom_';

type Parameters = ReadonlyMap<string, string>;

interface BridgedMessage extends LaunchMessage {
  /** `user_id` as the platform sent it. */
  readonly userId: string;
}

/**
 * The message of a basic launch, as LTI 1.3 would say it (LTI 1.1 §3, LTI Core 1.3 §5.3).
 * @throws RefusedLaunch
 */
function messageOf(parameters: Parameters, key: BridgeKeyEntity): BridgedMessage {
  const message = messageIn(claimsOf(parameters, key));
  if (parameters.get('lti_message_type') !== 'basic-lti-launch-request') {
    throw new RefusedLaunch('message_type', 'no basic launch', message.reader);
  }
  if (parameters.get('lti_version') !== 'LTI-1p0') throw new RefusedLaunch('version', 'not LTI-1p0', message.reader);
  const guid = (parameters.get('tool_consumer_instance_guid') ?? '').replaceAll('\0', '').slice(0, 255);
  const { subject: userId } = message.person;
  const person = { ...message.person, subject: nameIn(peopleOf(key), guid, userId) };
  return { ...message, deploymentId: nameIn(spaceOf(key), guid), person, userId };
}

function claimsOf(parameters: Parameters, key: BridgeKeyEntity): JsonObject {
  const text = (name: string): string => parameters.get(name) ?? '';
  return {
    [`${CORE}version`]: '1.3.0',
    [`${CORE}message_type`]: 'LtiResourceLinkRequest',
    [`${CORE}deployment_id`]: key.kind,
    [`${CORE}roles`]: text('roles').split(',').map(roleOf),
    [`${CORE}resource_link`]: { id: text('resource_link_id'), title: text('resource_link_title') },
    [`${CORE}context`]: { id: text('context_id'), title: text('context_title'), label: text('context_label') },
    [`${CORE}custom`]: customOf(parameters, key),
    [`${CORE}launch_presentation`]: {
      locale: text('launch_presentation_locale'),
      return_url: text('launch_presentation_return_url') || text('tool_consumer_instance_url'),
    },
    sub: text('user_id'),
    name: text('lis_person_name_full'),
    given_name: text('lis_person_name_given'),
    family_name: text('lis_person_name_family'),
    email: text('lis_person_contact_email_primary'),
  };
}

/** A key of one assistant leads to it, whatever the link says. */
function customOf(parameters: Parameters, { assistantId }: BridgeKeyEntity): JsonObject {
  if (assistantId !== null) return { assistant: String(assistantId) };
  const custom = [...parameters].filter(([name]) => name.startsWith(CUSTOM));
  return Object.fromEntries(custom.map(([name, value]) => [name.slice(CUSTOM.length), value]));
}

/** `Learner`, `urn:lti:role:ims/lis/Instructor/Lecturer` or `urn:lti:sysrole:ims/lis/SysAdmin` (LTI 1.1 appendix A). */
function roleOf(text: string): string {
  const role = text.trim();
  const [, scope, name] = /^urn:lti:(role|instrole|sysrole):ims\/lis\/([A-Za-z]+)/.exec(role) ?? [];
  if (scope === undefined || name === undefined) return role;
  return scope === 'role' ? name : INSTITUTION + name;
}

/** Checks launches of LTI 1.1. Afterwards they are like those of LTI 1.3. */
@Injectable()
export class BridgeLaunches {
  constructor(
    private readonly bridges: BridgeRepository,
    private readonly secrets: BridgeSecrets,
    private readonly nonces: NonceRepository,
    private readonly platforms: PlatformRepository,
    private readonly status: OrganizationStatusService,
    private readonly organizations: OrganizationsService,
    private readonly links: LegacyLinks,
    private readonly launches: Launches,
    private readonly people: LtiPeople,
  ) {}

  /** @throws RefusedLaunch. The answer does not tell an unknown key from a wrong signature; the log does. */
  async settle(kind: KeyKind, form: SignedForm): Promise<LaunchTicket> {
    assertInTime(form, Date.now());
    const signer = await this.signer(kind, form);
    const launch = await this.within(signer, form);
    const handover = kind === 'creator' ? await this.work(launch) : await this.launches.open(launch);
    const { organizationId, id } = signer.key;
    await withinOrganization(organizationId, () => this.bridges.keysWithin(organizationId).markLaunch(id));
    return handover;
  }

  /** The key of the organization that the launch is for: organizations that took in the same LAMB share its key. */
  private async signer(kind: KeyKind, form: SignedForm): Promise<KeyOfBridge> {
    const signers = await this.signers(kind, form);
    const [first, ...others] = signers.filter(({ bridge }) => bridge.enabled && !isOver(bridge.until));
    if (first === undefined) throw switchedOff(signers, form);
    const { reader } = messageOf(form.parameters, first.key);
    if (!(await this.nonces.use(nonceHash(kind, form)))) throw new RefusedLaunch('nonce', 'used before', reader);
    if (others.length === 0) return first;
    const home: KeyOfBridge[] = [];
    for (const each of [first, ...others]) {
      if (await this.launches.isAtHome(await this.within(each, form))) home.push(each);
    }
    const [own, another] = home;
    if (own !== undefined && another === undefined) return own;
    throw new RefusedLaunch('no_assistant', `${signers.length} organizations have the key ${form.consumerKey}`, reader);
  }

  private async signers(kind: KeyKind, { consumerKey, bases, signature }: SignedForm): Promise<readonly KeyOfBridge[]> {
    const isSigned = (secret: string): boolean =>
      bases.map((base) => isSameText(hmacSha1(base, secret), signature)).includes(true);
    const keys = await this.bridges.named(consumerKey, kind);
    const secrets = await Promise.all(keys.map(({ bridge, key }) => this.secrets.of(bridge, key)));
    const signers = keys.filter((_key, index) => {
      const secret = secrets[index] ?? null;
      return secret !== null && isSigned(secret);
    });
    if (signers.length > 0) return signers;
    const reason = keys.length === 0 ? 'unknown key' : 'wrong signature of the key';
    throw new RefusedLaunch('signature', `LTI 1.1, kind ${kind}: ${reason} ${consumerKey.slice(0, 100)}`);
  }

  private async within({ bridge, key }: KeyOfBridge, { parameters }: SignedForm): Promise<VerifiedLaunch> {
    const { userId, ...message } = messageOf(parameters, key);
    const { organizationId } = bridge;
    const platform = await this.platforms.findAnywhere(bridge.id);
    const organization = (await this.status.of([organizationId])).get(organizationId);
    if (platform === null || organization?.suspended !== false) {
      throw new RefusedLaunch('organization', 'suspended', message.reader);
    }
    return { platform, message, continued: this.links.adopting({ platform, message }, key, userId) };
  }

  /**
   * Teachers who work here, with everything that their account reaches. Never an administrator's account, and never where only
   * single sign-on counts.
   */
  private async work({ platform, message, continued }: VerifiedLaunch): Promise<LaunchTicket> {
    const { organizationId } = platform;
    const { person, reader } = message;
    if (person.role !== 'instructor') throw new RefusedLaunch('role', 'no instructor', reader);
    const { features } = await this.organizations.runtime(organizationId);
    if (!features.local_sign_in) throw new RefusedLaunch('sign_on_only', 'LTI 1.1', reader);
    const enter = async (tx: Transaction): Promise<LaunchTicket> => {
      await continued?.settle(tx);
      const member = await this.people.admit({ ...platform, instructorRole: 'teacher' }, message, tx);
      if (member.systemAdmin || member.role === 'owner' || member.role === 'admin') {
        throw new RefusedLaunch('administrator', 'LTI 1.1', reader);
      }
      return { organizationId, userId: member.userId, assistantIds: null, activityId: null, target: '/' };
    };
    return withinOrganization(organizationId, () => this.launches.settled(enter));
  }
}

function switchedOff(signers: readonly KeyOfBridge[], { parameters }: SignedForm): RefusedLaunch {
  const ended = signers.find(({ bridge }) => bridge.enabled);
  const [off] = signers;
  const signer = ended ?? off;
  const reader = signer === undefined ? undefined : messageOf(parameters, signer.key).reader;
  const detail = `organization ${signer?.bridge.organizationId}`;
  return new RefusedLaunch(ended === undefined ? 'lti11_off' : 'lti11_ended', detail, reader);
}

/** Keys of one name share the nonces: a nonce that another organization's secret signed is used up all the same. */
const nonceHash = (kind: KeyKind, { consumerKey, nonce }: SignedForm): string =>
  createHash('sha256')
    .update(JSON.stringify([kind, consumerKey, nonce]))
    .digest('hex');
