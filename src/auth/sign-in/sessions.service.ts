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
  /** For the cookie; never stored. */
  readonly token: string;
  readonly caller: Caller;
}

/** Context of a sign-in. */
export interface SignInContext extends RequestOrigin {
  /** Previous session of the browser, which ends. */
  readonly replaces: string | null;
}

export type SessionOpening = Pick<NewSession, 'organizationId' | 'userId' | 'apiKeyId' | 'role'> & {
  readonly scopes: readonly Scope[];
};

/** Sessions of browsers. They end by sign-out, by time, or with the key or role that they came from. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly authenticator: Authenticator,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    changes: OrganizationChanges,
  ) {
    // A returning role or member gets no old session.
    changes.onMember(async ({ organizationId, userId }, tx) => {
      await sessions.removeOfMember(organizationId, userId, tx);
    });
  }

  /** @throws {AppError} `unauthenticated`, or `forbidden` for a key without the scope `read` */
  async openByKey(key: string, context: SignInContext): Promise<OpenedSession> {
    const { organizationId, userId, credentialId: apiKeyId, role, scopes } = await this.authenticator.authenticate(key);
    if (!scopes.includes('read')) throw new AppError('forbidden', 'To sign in with it, a key needs the scope read');
    return this.open({ organizationId, userId, apiKeyId, role, scopes }, context);
  }

  /** Opens a session with a new id (session fixation). */
  async open({ scopes, ...opening }: SessionOpening, context: SignInContext): Promise<OpenedSession> {
    if (context.replaces !== null) await this.end(context.replaces, context);
    const token = newSessionToken();
    // Only programs may name end users: a page acts for its user.
    const granted = scopes.filter((scope) => scope !== 'act_as');
    const session = { ...opening, id: uuidv7(), hash: sessionHashOf(token), scopes: granted };
    const caller = await this.transactions.run(async (tx) => {
      await this.sessions.insert(session, tx);
      await this.sessions.removeStale(session, tx);
      const row = await this.sessions.findByHash(session.hash, tx);
      // A suspended organization, for example: no row stays.
      if (row === null || !isUsable(row)) throw unauthenticated();
      const opened = callerOf(row, 'session');
      await this.record(opened, 'session.create', context, tx, { scopes: granted, api_key_id: session.apiKeyId });
      return opened;
    });
    return { token, caller };
  }

  /** Effective at once here, within 5 s on other replicas. An ended session is no error. */
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
