import { Injectable } from '@nestjs/common';
import { AppError, type Caller } from '../../kernel';
import { MembersService, StandingService } from '../../organizations';
import { ApiKeyRepository, type KeyRow } from '../keys/api-key.repository';
import { callerOf, isUsable } from './authenticator';
import { SessionRepository } from '../sessions/session.repository';

const refused = (): AppError =>
  new AppError(
    'unauthenticated',
    'The credential that asked for this is no longer valid, or its owner no longer a member',
  );

/** Renews the rights of a caller for delayed work, from fresh rows. */
@Injectable()
export class CallerRenewal {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly sessions: SessionRepository,
    private readonly members: MembersService,
    private readonly standing: StandingService,
  ) {}

  /** The caller with current rights. @throws {AppError} `unauthenticated` */
  async renew(caller: Caller): Promise<Caller> {
    if (caller.kind === 'system') return caller;
    const { mayNameEndUser, endUser } = caller;
    const named = { ...(mayNameEndUser && { mayNameEndUser }), ...(endUser && { endUser }) };
    return { ...(await this.present(caller)), ...named };
  }

  private async present(caller: Caller): Promise<Caller> {
    const { kind, credentialId } = caller;
    if (kind === 'api_key') return this.held(caller, credentialId && (await this.keys.findById(credentialId)));
    if (kind === 'session') return this.held(caller, credentialId && (await this.sessions.findById(credentialId)));
    return this.byMembership(caller);
  }

  private held({ kind, organizationId, userId }: Caller, row: KeyRow | null | ''): Caller {
    if (!row || !isUsable(row) || row.organizationId !== organizationId || row.userId !== userId) throw refused();
    return callerOf(row, kind === 'session' ? 'session' : 'api_key');
  }

  private async byMembership(caller: Caller): Promise<Caller> {
    const member = await this.members.find(caller.organizationId, caller.userId);
    const organization = (await this.standing.of([caller.organizationId])).get(caller.organizationId);
    if (member === null || member.disabled || organization?.suspended !== false) throw refused();
    return { ...caller, role: member.role, systemAdmin: caller.systemAdmin && member.systemAdmin };
  }
}
