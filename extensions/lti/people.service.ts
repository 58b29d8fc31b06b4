import { type Role, isJsonObject } from '@bellwether/kernel';
import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../src/infrastructure/audit';
import type { Transaction } from '../../src/infrastructure/database';
import { type Member, MemberProvisioning } from '../../src/organizations';
import { type LaunchMessage, RefusedLaunch, scalarText } from './launch-claims';
import type { PlatformEntity } from './platforms/platform.entity';
import { LtiIdentityRepository } from './identity.repository';

/** Turns a person of a platform into a member of its organization: finds, links or makes the account. */
@Injectable()
export class LtiPeople {
  constructor(
    private readonly identities: LtiIdentityRepository,
    private readonly provisioning: MemberProvisioning,
    private readonly audit: AuditLog,
  ) {}

  /** Inside the transaction of a launch. @throws RefusedLaunch `organization`, `disabled` */
  async admit(platform: PlatformEntity, message: LaunchMessage, tx: Transaction): Promise<Member> {
    const { organizationId, id: platformId } = platform;
    const { subject } = message.person;
    const known = await this.known(platform, subject, tx);
    const member = known ?? (await this.newcomer(platform, message, tx));
    if (member.disabled) throw new RefusedLaunch('disabled', 'disabled', message.reader);
    if (known !== null) await this.follow(platform, message, member, tx);
    await this.identities.save({ platformId, subject, organizationId, userId: member.userId }, tx);
    if (known === null) {
      const target = { type: 'member', id: member.userId };
      const after = { lti_platform: platformId, subject };
      await this.audit.record({ caller: null, organizationId, action: 'identity.link', target, after }, tx);
    }
    return member;
  }

  /** Name and address of an account that the platform made. A platform that keeps them to itself changes nothing. */
  private async follow(
    { id, organizationId }: PlatformEntity,
    { person }: LaunchMessage,
    member: Member,
    tx: Transaction,
  ): Promise<void> {
    const [name, email] = [person.name ?? member.name, person.email ?? member.email];
    if (name === member.name && email === member.email) return;
    if (!(await this.identities.madeAccount({ platformId: id, subject: person.subject }, tx))) return;
    await this.provisioning.follow({ organizationId, source: `lti:${id}` }, member, { name, email }, tx);
  }

  /** Without a lock: a lecture hall launches at once. */
  private async known(
    { id, organizationId }: PlatformEntity,
    subject: string,
    tx: Transaction,
  ): Promise<Member | null> {
    const identity = await this.identities.find({ platformId: id, subject }, tx);
    return identity === null ? null : this.provisioning.find(organizationId, identity.userId, tx);
  }

  private async newcomer(platform: PlatformEntity, message: LaunchMessage, tx: Transaction): Promise<Member> {
    if (!(await this.provisioning.lock(platform.organizationId, tx)))
      throw new RefusedLaunch('organization', 'suspended', message.reader);
    const known = await this.known(platform, message.person.subject, tx);
    return known ?? (await this.matched(platform, message, tx)) ?? this.added(platform, message, tx);
  }

  /**
   * The member whom the rule of the platform names. Administrators are never matched: a course platform would then sign in as
   * one. A member is matched by one subject only.
   */
  private async matched(platform: PlatformEntity, message: LaunchMessage, tx: Transaction): Promise<Member | null> {
    const { organizationId, id } = platform;
    const name = await this.nameByRule(platform, message, tx);
    const member = name === null ? null : await this.provisioning.find(organizationId, name, tx);
    if (member === null || member.systemAdmin || member.role === 'owner' || member.role === 'admin') return null;
    return (await this.identities.isLinked(id, member.userId, tx)) ? null : member;
  }

  private async nameByRule(
    { match, organizationId }: PlatformEntity,
    message: LaunchMessage,
    tx: Transaction,
  ): Promise<string | null> {
    if (match.by === 'verified_email') return message.person.email;
    const value = match.by === 'claim' ? claimAt(message, match.claim) : null;
    return value === null ? null : this.identities.knownById(organizationId, value, tx);
  }

  private async added(platform: PlatformEntity, message: LaunchMessage, tx: Transaction): Promise<Member> {
    const { organizationId, id, instructorRole } = platform;
    const { person } = message;
    const role: Role = person.role === 'instructor' ? instructorRole : 'member';
    const email = await this.addressFor(platform, message, tx);
    const name = person.name ?? pseudonymOf(id, person.subject);
    return this.provisioning.add({ organizationId, source: `lti:${id}` }, { name, role, email }, tx);
  }

  /** The address of a new account, which no other person has. */
  private async addressFor({ id }: PlatformEntity, { person }: LaunchMessage, tx: Transaction): Promise<string> {
    if (person.email !== null && (await this.provisioning.personWith(person.email, tx)) === null) return person.email;
    // RFC 2606 §2: a name that never resolves.
    return `${digestOf(id, person.subject).slice(0, 20)}@lti.invalid`;
  }
}

const digestOf = (platformId: string, subject: string): string =>
  createHash('sha256').update(`${platformId}\n${subject}`).digest('hex');

/** Pseudonym for a person of a platform that keeps names to itself. */
const pseudonymOf = (platformId: string, subject: string): string =>
  `LTI ${digestOf(platformId, subject).slice(0, 6).toUpperCase()}`;

/** `custom.name`, or the name of a claim. */
function claimAt({ custom, claims }: LaunchMessage, name: string): string | null {
  if (name.startsWith('custom.')) return custom[name.slice('custom.'.length)] ?? null;
  const value: unknown = claims[name] ?? name.split('.').reduce<unknown>(memberOf, claims);
  const text = scalarText(value);
  return text !== null && text !== '' && text.length <= 255 ? text : null;
}

const memberOf = (value: unknown, name: string): unknown => (isJsonObject(value) ? value[name] : undefined);
