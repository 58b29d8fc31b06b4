import { type Caller, assertActsForPerson, isUuid, notFound, existing } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { AuditLog } from '../../infrastructure/audit';
import { CONFIG, type Config } from '../../infrastructure/config';
import { Transactions, withinOrganization } from '../../infrastructure/database';
import { MembersService, type OrganizationRequest, OrganizationsService, assertOutranks } from '../../organizations';
import { Authenticator } from '../access/authenticator';
import { unauthenticated } from '../access/credential';
import type { MeDto } from '../api-key.dto';
import { type OpenSession, SessionRepository } from '../sessions/session.repository';
import { SignInLinkRepository } from '../sessions/sign-in-link.repository';
import type { OpenSessionDto } from './session.dto';

/** Facts about the caller. */
@Injectable()
export class CurrentUserService {
  constructor(
    private readonly members: MembersService,
    private readonly organizations: OrganizationsService,
    @Inject(CONFIG) private readonly config: Pick<Config, 'extensions'>,
  ) {}

  /** @throws {AppError} `unauthenticated` for a former member */
  of(caller: Caller): Promise<MeDto> {
    // At sign-in nobody was known when the request began.
    return withinOrganization(caller.organizationId, () => this.read(caller));
  }

  private async read(caller: Caller): Promise<MeDto> {
    const [member, organization] = await Promise.all([
      this.members.find(caller.organizationId, caller.userId),
      this.organizations.runtime(caller.organizationId),
    ]);
    if (member === null) throw unauthenticated();
    const { id, slug, name, features } = organization;
    return {
      user: { id: member.userId, email: member.email, name: member.name },
      organization: { id, slug, name, features },
      role: member.role,
      system_admin: caller.systemAdmin,
      credential: { kind: caller.kind, id: caller.credentialId },
      scopes: [...caller.scopes],
      assistant_ids: caller.assistantIds === null ? null : [...caller.assistantIds],
      extensions: [...this.config.extensions],
    };
  }
}

function openedBy({ issuerKey, apiKeyId, byPassword }: OpenSession): OpenSessionDto['opened_by'] {
  if (issuerKey !== null) return 'single_sign_on';
  if (apiKeyId !== null) return 'key';
  return byPassword ? 'password' : 'link';
}

/** Lists and ends sessions. */
@Injectable()
export class OpenSessions {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly members: MembersService,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly authenticator: Authenticator,
    private readonly links: SignInLinkRepository,
  ) {}

  /** @throws {AppError} `forbidden` for restricted keys, as for what ends a session of the caller */
  async list(caller: Caller): Promise<OpenSessionDto[]> {
    assertActsForPerson(caller);
    const { organizationId, userId, credentialId } = caller;
    const open = await this.sessions.ofMember(organizationId, userId);
    return open.map((session) => ({
      id: session.id,
      opened_by: openedBy(session),
      api_key_id: session.apiKeyId,
      current: session.id === credentialId,
      created_at: session.createdAt.toISOString(),
      last_seen_at: session.lastSeenAt.toISOString(),
      expires_at: session.expiresAt.toISOString(),
    }));
  }

  /** One session of the caller, maybe the current one. @throws {AppError} `not_found` */
  async endOne(caller: Caller, id: string): Promise<void> {
    assertActsForPerson(caller);
    const { organizationId, userId } = caller;
    if (!isUuid(id)) throw notFound('Session');
    await this.transactions.run(async (tx) => {
      if (!(await this.sessions.removeOne({ organizationId, userId, id }, tx))) throw notFound('Session');
      await this.audit.record({ caller, organizationId, action: 'session.end', target: { type: 'session', id } }, tx);
    });
    this.authenticator.forget(organizationId);
  }

  /** All sessions of the caller but the current one. */
  async endOthers(caller: Caller): Promise<void> {
    assertActsForPerson(caller);
    const spared = caller.kind === 'session' ? caller.credentialId : null;
    await this.end(caller, caller.organizationId, caller.userId, spared);
  }

  /** All sessions of a member, by user id or e-mail address. @throws {AppError} `not_found`, `forbidden` */
  async endOfMember({ caller, organizationId }: OrganizationRequest, member: string): Promise<void> {
    const found = existing(await this.members.find(organizationId, member), 'Member');
    assertOutranks(caller, found);
    await this.end(caller, organizationId, found.userId, null);
  }

  /** Ends unused sign-in links too. Effective at once here, within 5 s on other replicas. */
  private async end(caller: Caller, organizationId: string, userId: string, spared: string | null): Promise<void> {
    await this.transactions.run(async (tx) => {
      await this.links.removeOfMember({ organizationId, userId }, tx);
      const ended = await this.sessions.removeOfMember(organizationId, userId, tx, spared);
      const target = { type: 'member', id: userId };
      await this.audit.record({ caller, organizationId, action: 'session.end_all', target, after: { ended } }, tx);
    });
    this.authenticator.forget(organizationId);
  }
}
