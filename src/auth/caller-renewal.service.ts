import { Injectable } from '@nestjs/common';
import { AppError, type Caller } from '../kernel';
import { MembersService } from '../organizations';
import { ApiKeyRepository } from './api-key.repository';
import { callerOf, isUsable } from './authenticator';

const refused = (): AppError =>
  new AppError(
    'unauthenticated',
    'The credential that asked for this is no longer valid, or its owner no longer a member',
  );

/** Work that was asked for earlier is done on the rights that its caller has now, read from fresh rows. */
@Injectable()
export class CallerRenewal {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly members: MembersService,
  ) {}

  /** The same caller as their credential makes them at this moment. @throws {AppError} `unauthenticated` */
  async renew(caller: Caller): Promise<Caller> {
    if (caller.kind === 'system') return caller;
    const { mayNameEndUser, endUser } = caller;
    const named = { ...(mayNameEndUser && { mayNameEndUser }), ...(endUser && { endUser }) };
    return { ...(await (caller.kind === 'api_key' ? this.byKey(caller) : this.byMembership(caller))), ...named };
  }

  private async byKey({ credentialId, organizationId, userId }: Caller): Promise<Caller> {
    const row = credentialId === null ? null : await this.keys.findById(credentialId);
    if (row === null || !isUsable(row)) throw refused();
    if (row.organizationId !== organizationId || row.userId !== userId) throw refused();
    return callerOf(row);
  }

  private async byMembership(caller: Caller): Promise<Caller> {
    const member = await this.members.find(caller.organizationId, caller.userId);
    if (member === null || member.disabled) throw refused();
    return { ...caller, role: member.role, systemAdmin: caller.systemAdmin && member.systemAdmin };
  }
}
