import { AppError, type Role } from '@bellwether/kernel';
import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  GroupProvisioning,
  type Member,
  MemberProvisioning,
  MembersService,
  OrganizationChanges,
  OrganizationsService,
  OrganizationStatusService,
} from '../../organizations';
import { AuditLog } from '../../infrastructure/audit';
import { AcrossOrganizations, isUniqueViolation, type Transaction, Transactions } from '../../infrastructure/database';
import {
  choosesOrganization,
  claimAt,
  type ClaimedEmail,
  deniesEmail,
  emailOf,
  externalIdOf,
  groupsOf,
  hasName,
  nameOf,
  organizationOf,
  type RoleDecision,
  roleOf,
  shownClaims,
  tellsGroups,
} from './claims';
import type { IdentityEntity } from './identity.entity';
import type { LinkedMember } from '../sessions/sign-in-link.repository';
import { IdentityRepository, type Subject } from './identity.repository';
import { authorityOf, type Claims, type Issuer } from './issuer.types';

/** Why somebody whom the provider knows may not come in. */
export const ADMISSION_PROBLEMS = ['no_organization', 'no_role', 'not_invited', 'account_exists', 'disabled'] as const;
export type AdmissionProblem = (typeof ADMISSION_PROBLEMS)[number];

export class RefusedAdmission extends Error {
  constructor(readonly problem: AdmissionProblem) {
    super(`The person was not admitted: ${problem}`);
    this.name = 'RefusedAdmission';
  }
}

export interface Admitted {
  readonly organizationId: string;
  readonly organizationSlug: string;
  readonly userId: string;
  readonly role: Role;
  readonly systemAdmin: boolean;
}

/** A person's place by claims alone, before any account is touched. */
export interface Placement {
  readonly organization: { readonly id: string; readonly slug: string };
  /** `keep`: the role that the member has, or `member`. Null: the claims give none, and nobody comes in without. */
  readonly role: RoleDecision;
  readonly groups: readonly string[];
  readonly email: ClaimedEmail | null;
}

/** ID tokens are whole: a missing claim takes its roles away. Access tokens may leave claims out, which then changes nothing. */
export type ClaimsSource = 'id_token' | 'access_token';

interface Arrival {
  readonly issuer: Issuer;
  /** `iss` and `sub` as the token spells them. */
  readonly iss: string;
  readonly subject: string;
  readonly claims: Claims;
  readonly issuedAt: Date;
  readonly source: ClaimsSource;
  readonly placement: Placement;
  /** A member whose other credential the browser has just shown. */
  readonly proven: LinkedMember | null;
}

/** Turns a person of a provider into a member: finds, links or makes the account, and recomputes its role from the claims. */
@Injectable()
export class Accounts {
  constructor(
    private readonly identities: IdentityRepository,
    private readonly provisioning: MemberProvisioning,
    private readonly groups: GroupProvisioning,
    private readonly members: MembersService,
    private readonly organizations: OrganizationsService,
    private readonly status: OrganizationStatusService,
    private readonly transactions: Transactions,
    private readonly changes: OrganizationChanges,
    private readonly audit: AuditLog,
  ) {}

  /** @throws RefusedAdmission */
  @AcrossOrganizations('sign-in')
  async place(issuer: Issuer, claims: Claims): Promise<Placement> {
    const email = emailOf(claims, issuer);
    const organization = await this.organizationFor(issuer, claims, email);
    return { organization, role: roleOf(claims, issuer.rules), groups: groupsOf(claims, issuer.rules), email };
  }

  /**
   * `proven`: the person is signed in as this member, to whom an unknown account of the provider is linked.
   * @throws RefusedAdmission
   */
  @AcrossOrganizations('sign-in')
  async admit(
    issuer: Issuer,
    claims: Claims,
    source: ClaimsSource,
    proven: LinkedMember | null = null,
  ): Promise<Admitted> {
    const { iss, sub, iat } = claims;
    if (typeof iss !== 'string' || typeof sub !== 'string' || typeof iat !== 'number') {
      throw new Error('Claims without iss, sub or iat were taken for verified ones');
    }
    const placement = await this.place(issuer, claims);
    const issuedAt = new Date(iat * 1_000);
    const arrival = { issuer, iss, subject: sub, claims, issuedAt, source, placement, proven };
    const known = source === 'access_token' ? await this.unchanged(arrival) : null;
    return known ?? this.settled(arrival);
  }

  /** A member for whom the claims of an access token change nothing, read without a lock. */
  private async unchanged(arrival: Arrival): Promise<Admitted | null> {
    const { issuer, claims, issuedAt, placement } = arrival;
    const identity = await this.identities.find(subjectOf(arrival));
    const { id } = placement.organization;
    const member = identity === null ? null : await this.members.find(id, identity.userId);
    if (identity === null || member === null) return null;
    if (member.disabled) throw new RefusedAdmission('disabled');
    const role = tokenRole(placement.role, claims, issuer);
    const isOld = issuedAt <= identity.claimsAt;
    return isOld || role === 'keep' || role === member.role ? admittedAs(member, placement) : null;
  }

  private async settled(arrival: Arrival): Promise<Admitted> {
    const settle = (): Promise<Admitted | RefusedAdmission> => this.transactions.run((tx) => this.settle(arrival, tx));
    const settled = await settle().catch((error: unknown) => {
      // The same person for the first time, twice at once, in two organizations.
      if (isUniqueViolation(error, 'oidc_identities_pk')) return settle();
      throw error;
    });
    this.changes.announce(arrival.placement.organization.id);
    if (settled instanceof RefusedAdmission) throw settled;
    return settled;
  }

  /** Returns a refusal that changes something: somebody who has lost every role keeps no old one. */
  private async settle(arrival: Arrival, tx: Transaction): Promise<Admitted | RefusedAdmission> {
    const { placement, issuer } = arrival;
    const { id: organizationId } = placement.organization;
    if (!(await this.provisioning.lock(organizationId, tx))) throw new RefusedAdmission('no_organization');
    const identity = await this.identities.find(subjectOf(arrival), tx);
    const present = identity === null ? null : await this.provisioning.find(organizationId, identity.userId, tx);
    const wanted = this.roleFor(arrival, present === null ? null : identity);
    if (wanted === null && present === null) return new RefusedAdmission('no_role');
    const member = present ?? (await this.newMember(arrival, identity, wanted, tx));
    if (member.disabled) throw new RefusedAdmission('disabled');
    if (wanted === 'keep') return this.remembered(arrival, identity, member, tx);
    const by = { organizationId, source: issuer.key };
    const role = await this.provisioning.setRole(by, member, wanted ?? 'member', tx);
    const settled = await this.remembered(arrival, identity, { ...member, role }, tx);
    return wanted === null ? new RefusedAdmission('no_role') : settled;
  }

  /** Tokens that are older than the last claims, and access tokens without the claim, leave a member's role alone. */
  private roleFor(
    { issuer, placement, claims, source, issuedAt }: Arrival,
    known: IdentityEntity | null,
  ): RoleDecision {
    if (known === null) return placement.role;
    if (issuedAt < known.claimsAt) return 'keep';
    return source === 'id_token' ? placement.role : tokenRole(placement.role, claims, issuer);
  }

  private async newMember(
    arrival: Arrival,
    identity: IdentityEntity | null,
    wanted: RoleDecision,
    tx: Transaction,
  ): Promise<Member> {
    const { issuer, claims, placement, subject } = arrival;
    const by = { organizationId: placement.organization.id, source: issuer.key };
    const role: Role = wanted === 'keep' || wanted === null ? 'member' : wanted;
    const newcomer = { name: nameOf(claims, subject), role };
    const found = identity === null ? await this.sameMember(arrival, tx) : null;
    if (found !== null) return found;
    this.assertMayJoin(issuer);
    const person = identity?.userId ?? (await this.personElsewhere(arrival, tx));
    if (person !== null) return this.provisioning.admit(by, person, newcomer, tx);
    return this.provisioning.add(by, { ...newcomer, email: await this.addressFor(arrival, tx) }, tx);
  }

  private async sameMember(arrival: Arrival, tx: Transaction): Promise<Member | null> {
    return (
      (await this.provenMember(arrival, tx)) ??
      (await this.sameId(arrival, tx)) ??
      (await this.sameAddress(arrival, tx))
    );
  }

  private async provenMember(arrival: Arrival, tx: Transaction): Promise<Member | null> {
    const { issuer, proven } = arrival;
    const { organization } = arrival.placement;
    if (proven?.organizationId !== organization.id) return null;
    const member = await this.provisioning.find(organization.id, proven.userId, tx);
    if (member === null || !(await this.isOpen(arrival, member, tx))) return null;
    await this.assertNoPower(issuer, member.userId, tx);
    return member;
  }

  /** The member whom the directory knows by the id in the claims. */
  private async sameId(arrival: Arrival, tx: Transaction): Promise<Member | null> {
    const { id } = arrival.placement.organization;
    const externalId = externalIdOf(arrival.claims, arrival.issuer.rules);
    const userId = externalId === null ? null : await this.identities.provisionedAs(id, externalId, tx);
    const member = userId === null ? null : await this.provisioning.find(id, userId, tx);
    return member === null ? null : this.opened(arrival, member, tx);
  }

  private async sameAddress(arrival: Arrival, tx: Transaction): Promise<Member | null> {
    const { issuer, claims, placement } = arrival;
    const { email, organization } = placement;
    const member = email === null ? null : await this.provisioning.find(organization.id, email.address, tx);
    if (email === null || member === null) return null;
    // The directory knows the member by another id than the claims: the address had another holder before.
    const externalId = externalIdOf(claims, issuer.rules);
    const isOther = await this.identities.isKnownOtherwise(organization.id, member.userId, externalId, tx);
    if (!issuer.linkVerifiedEmail || !email.isVerified || isOther) throw new RefusedAdmission('account_exists');
    return this.opened(arrival, member, tx);
  }

  private async opened(arrival: Arrival, member: Member, tx: Transaction): Promise<Member> {
    if (!(await this.isOpen(arrival, member, tx))) throw new RefusedAdmission('account_exists');
    return this.assertNoPower(arrival.issuer, member.userId, tx).then(() => member);
  }

  /**
   * Owners and system administrators are never linked: whoever controls the provider would become one. A member is one
   * subject of the issuer.
   */
  private async isOpen({ issuer, iss }: Arrival, member: Member, tx: Transaction): Promise<boolean> {
    if (member.systemAdmin || member.role === 'owner') return false;
    const own = { authority: authorityOf(issuer), issuer: iss, userId: member.userId };
    return !(await this.identities.isLinked(own, tx));
  }

  /**
   * A person of other organizations, by a verified address. Without linking, some organization must have linked the
   * subject to that person too.
   */
  private async personElsewhere({ issuer, iss, subject, placement }: Arrival, tx: Transaction): Promise<string | null> {
    const { email } = placement;
    if (email?.isVerified !== true) return null;
    const person = issuer.linkVerifiedEmail
      ? await this.provisioning.personWith(email.address, tx)
      : await this.identities.personElsewhere({ issuer: iss, subject }, email.address, tx);
    if (person === null) return null;
    await this.assertNoPower(issuer, person, tx);
    if (await this.provisioning.mayBeLinked(person, tx)) return person;
    // The address of a former member may have been given to somebody else.
    if (await this.provisioning.isSystemAdmin(person, tx)) throw new RefusedAdmission('account_exists');
    return null;
  }

  /** Through an issuer of all organizations a person reaches each of theirs, also those that they own. */
  private async assertNoPower({ forAll }: Issuer, userId: string, tx: Transaction): Promise<void> {
    if (forAll && (await this.provisioning.isPowerful(userId, tx))) throw new RefusedAdmission('account_exists');
  }

  private assertMayJoin({ accounts }: Issuer): void {
    if (accounts === 'invitation') throw new RefusedAdmission('not_invited');
  }

  /**
   * The address of a new account, which no other person has. Tools find people by it, so an address that the provider
   * calls unverified does not count.
   */
  private async addressFor(
    { issuer, iss, subject, claims, placement: { email } }: Arrival,
    tx: Transaction,
  ): Promise<string> {
    const isUsable = email !== null && !deniesEmail(claims);
    if (isUsable && (await this.provisioning.personWith(email.address, tx)) === null) return email.address;
    const digest = createHash('sha256').update(`${iss}\n${subject}`).digest('hex').slice(0, 20);
    // RFC 2606 §2: a name that never resolves.
    return `${digest}@${issuer.key}.invalid`;
  }

  private async remembered(
    arrival: Arrival,
    known: IdentityEntity | null,
    member: Member,
    tx: Transaction,
  ): Promise<Admitted> {
    if (known === null || arrival.issuedAt >= known.claimsAt) await this.remember(arrival, known, member, tx);
    return admittedAs(member, arrival.placement);
  }

  private async remember(
    arrival: Arrival,
    known: IdentityEntity | null,
    member: Member,
    tx: Transaction,
  ): Promise<void> {
    const { userId } = member;
    const { claims, placement, issuedAt: claimsAt, source } = arrival;
    const organizationId = placement.organization.id;
    const email = placement.email?.address ?? null;
    const { key: issuerKey, rules } = arrival.issuer;
    const isTold = source === 'id_token' ? tellsGroups(claims, rules) : placement.groups.length > 0;
    const groups = isTold ? [...placement.groups] : (known?.groups ?? []);
    const match = rules.groupsClaim === null ? null : rules.groupMatch;
    await this.groups.follow({ organizationId, source: issuerKey }, userId, { values: groups, match }, tx);
    const own = subjectOf(arrival);
    const shown = shownClaims(claims);
    await this.identities.save(
      {
        ...own,
        userId,
        organizationId,
        issuerKey,
        email,
        groups,
        claims: shown,
        claimsAt,
        externalId: externalIdAfter(arrival, known),
      },
      tx,
    );
    if (known !== null) return this.follow(arrival, member, tx);
    const target = { type: 'member', id: userId };
    await this.audit.record(
      {
        caller: null,
        organizationId,
        action: 'identity.link',
        target,
        after: { issuer: own.issuer, subject: own.subject },
      },
      tx,
    );
  }

  /** Name and verified address of an account that the provider made. Silence of the provider changes nothing. */
  private async follow(arrival: Arrival, member: Member, tx: Transaction): Promise<void> {
    const { issuer, claims, placement, source } = arrival;
    const { id: organizationId } = placement.organization;
    const name = hasName(claims) ? nameOf(claims, member.name) : member.name;
    const email = placement.email?.isVerified === true ? placement.email.address : member.email;
    if (source === 'access_token' || (name === member.name && email === member.email)) return;
    if (!(await this.identities.madeAccount(subjectOf(arrival), organizationId, tx))) return;
    await this.provisioning.follow({ organizationId, source: issuer.key }, member, { name, email }, tx);
  }

  private async organizationFor(
    issuer: Issuer,
    claims: Claims,
    email: ClaimedEmail | null,
  ): Promise<Placement['organization']> {
    if (!issuer.forAll || !choosesOrganization(issuer.rules)) return this.standingOf(issuer.organizationId);
    const slug = organizationOf(claims, issuer.rules, email);
    if (slug === undefined) throw new RefusedAdmission('no_organization');
    const id = await this.organizations.idOf(slug).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'not_found') throw new RefusedAdmission('no_organization');
      throw error;
    });
    return this.standingOf(id);
  }

  private async standingOf(id: string): Promise<Placement['organization']> {
    const organization = (await this.status.of([id])).get(id);
    if (organization === undefined || organization.suspended) throw new RefusedAdmission('no_organization');
    return { id, slug: organization.slug };
  }
}

const subjectOf = ({ issuer, iss, subject }: Arrival): Subject => ({
  authority: authorityOf(issuer),
  issuer: iss,
  subject,
});

/** An access token may leave the claim out. */
const externalIdAfter = ({ claims, issuer, source }: Arrival, known: IdentityEntity | null): string | null =>
  externalIdOf(claims, issuer.rules) ?? (source === 'access_token' ? (known?.externalId ?? null) : null);

/** The role in an access token. One without the claim says nothing; one whose claim names no role takes it away. */
const tokenRole = (role: RoleDecision, claims: Claims, { rules }: Issuer): RoleDecision =>
  rules.roleClaim !== null && claimAt(claims, rules.roleClaim) === undefined ? 'keep' : role;

const admittedAs = ({ userId, role, systemAdmin }: Member, { organization }: Placement): Admitted => ({
  organizationId: organization.id,
  organizationSlug: organization.slug,
  userId,
  role,
  systemAdmin,
});
