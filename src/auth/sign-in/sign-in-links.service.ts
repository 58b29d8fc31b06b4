import { Injectable } from '@nestjs/common';
import { AppError, uuidv7 } from '../../kernel';
import { MembersService, OrganizationChanges } from '../../organizations';
import { AuditLog } from '../../platform/audit';
import { Transactions } from '../../platform/database';
import { scopesOf } from '../sessions/role-scopes';
import { looksLikeSessionToken, newSessionToken, sessionHashOf } from '../sessions/session-token';
import { type OpenedSession, type SignInContext, SessionsService } from './sessions.service';
import { type LinkedMember, SignInLinkRepository } from '../sessions/sign-in-link.repository';

export interface SignInLink {
  /** Path on the service. The first visit within the hour signs in. */
  readonly path: string;
  readonly expiresAt: Date;
}

/** Single-use sign-in links: for a first start, and for people without a key. */
@Injectable()
export class SignInLinks {
  constructor(
    private readonly links: SignInLinkRepository,
    private readonly sessions: SessionsService,
    private readonly members: MembersService,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    changes: OrganizationChanges,
  ) {
    // A changed role needs a new link.
    changes.onMember(({ organizationId, userId }, tx) => links.removeOfMember({ organizationId, userId }, tx));
  }

  /** Only commands and the start make links, never HTTP. */
  async make({ organizationId, userId }: LinkedMember): Promise<SignInLink> {
    const token = newSessionToken();
    const id = uuidv7();
    const expiresAt = await this.transactions.run(async (tx) => {
      const expires = await this.links.insert({ id, organizationId, userId, hash: sessionHashOf(token) }, tx);
      const target = { type: 'sign_in_link', id };
      const after = { user_id: userId, expires_at: expires.toISOString() };
      await this.audit.record({ caller: null, organizationId, action: 'sign_in_link.create', target, after }, tx);
      return expires;
    });
    return { path: `/sign-in/${token}`, expiresAt };
  }

  /** Null for a used, expired or unknown link. */
  async use(token: string, context: SignInContext): Promise<OpenedSession | null> {
    const linked = looksLikeSessionToken(token) ? await this.links.consume(sessionHashOf(token)) : null;
    if (linked === null) return null;
    const member = await this.members.find(linked.organizationId, linked.userId);
    if (member === null || member.disabled) return null;
    try {
      return await this.sessions.open(
        { ...linked, apiKeyId: null, role: member.role, scopes: scopesOf(member.role) },
        context,
      );
    } catch (error) {
      // A suspended organization, for example.
      if (error instanceof AppError && error.code === 'unauthenticated') return null;
      throw error;
    }
  }
}
