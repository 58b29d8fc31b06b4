import { Injectable } from '@nestjs/common';
import { AppError, type Caller, type RequestOrigin, type Scope, uuidv7 } from '../../kernel';
import { OrganizationChanges } from '../../organizations';
import { AuditLog } from '../../platform/audit';
import { type Transaction, Transactions } from '../../platform/database';
import { Authenticator, callerOf, isUsable } from '../access/authenticator';
import { unauthenticated } from '../access/credential';
import { type NewSession, SessionRepository } from '../sessions/session.repository';
import { newSessionToken, sessionHashOf } from '../sessions/session-token';

export interface OpenedSession {
  /** For the cookie; stored nowhere else. */
  readonly token: string;
  readonly caller: Caller;
}

/** What a sign-in brings along. */
export interface SignInContext extends RequestOrigin {
  /** The session of the same browser, which ends. */
  readonly replaces: string | null;
}

export type SessionOpening = Pick<NewSession, 'organizationId' | 'userId' | 'apiKeyId' | 'role'> & {
  readonly scopes: readonly Scope[];
};

/** Browsers' sessions: opened by a key or a link, ended by signing out, by time, or with what they came from. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly authenticator: Authenticator,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    changes: OrganizationChanges,
  ) {
    // A role or a membership that comes back finds no old session.
    changes.onMember(async ({ organizationId, userId }, tx) => {
      await sessions.removeOfMember(organizationId, userId, tx);
    });
  }

  /** @throws {AppError} `unauthenticated`, or `forbidden` for a key that shows nothing */
  async openByKey(key: string, context: SignInContext): Promise<OpenedSession> {
    const { organizationId, userId, credentialId: apiKeyId, role, scopes } = await this.authenticator.authenticate(key);
    if (!scopes.includes('read')) throw new AppError('forbidden', 'To sign in with it, a key needs the scope read');
    return this.open({ organizationId, userId, apiKeyId, role, scopes }, context);
  }

  /** A session of its own id, whatever the browser had before. */
  async open({ scopes, ...opening }: SessionOpening, context: SignInContext): Promise<OpenedSession> {
    if (context.replaces !== null) await this.end(context.replaces, context);
    const token = newSessionToken();
    // To speak for others is for programs: what a page does is done by who looks at it.
    const granted = scopes.filter((scope) => scope !== 'act_as');
    const session = { ...opening, id: uuidv7(), hash: sessionHashOf(token), scopes: granted };
    const caller = await this.transactions.run(async (tx) => {
      await this.sessions.insert(session, tx);
      await this.sessions.removeStale(session, tx);
      const row = await this.sessions.findByHash(session.hash, tx);
      // Of an organization that is suspended, say: then there is nothing to sign in to, and no row stays.
      if (row === null || !isUsable(row)) throw unauthenticated();
      const opened = callerOf(row, 'session');
      await this.record(opened, 'session.create', context, tx, { scopes: granted, api_key_id: session.apiKeyId });
      return opened;
    });
    return { token, caller };
  }

  /** At once on this replica, within 5 s on others. A session that is over already is no error. */
  async end(token: string, origin: RequestOrigin): Promise<void> {
    const caller = await this.authenticator.authenticateSession(token).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'unauthenticated') return null;
      throw error;
    });
    await this.transactions.run(async (tx) => {
      const removed = await this.sessions.removeByHash(sessionHashOf(token), tx);
      if (removed && caller !== null) await this.record(caller, 'session.end', origin, tx);
    });
    if (caller !== null) this.authenticator.forget(caller.organizationId);
  }

  private async record(
    known: Caller,
    action: string,
    { requestId, ip }: RequestOrigin,
    tx: Transaction,
    after?: object,
  ): Promise<void> {
    const caller = { ...known, origin: { requestId, ip } };
    const target = { type: 'session', id: caller.credentialId ?? '' };
    await this.audit.record({ caller, action, target, ...(after === undefined ? {} : { after }) }, tx);
  }
}
