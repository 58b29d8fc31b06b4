import { type Caller, type RequestOrigin, type Scope, uuidv7, orNull } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { OrganizationChanges } from '../../organizations';
import { AuditLog } from '../../infrastructure/audit';
import { type Transaction, Transactions, withinOrganization } from '../../infrastructure/database';
import { SecretsService } from '../../infrastructure/secrets';
import { Authenticator, callerOf, isUsable } from '../access/authenticator';
import { unauthenticated } from '../access/credential';
import { type EndedAtProvider, type NewSession, SessionRepository, type SignOn } from '../sessions/session.repository';
import { newSessionToken, sessionHashOf } from '../sessions/session-cookie';
import type { LinkedMember } from '../sessions/sign-in-link.repository';

export interface OpenedSession {
  /** Value of the cookie; never stored. */
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
  /** Result of single sign-on, with the ID token as the provider sent it. */
  readonly signOn?: SignOn;
  /** The session may use these assistants only. */
  readonly assistantIds?: readonly number[];
  /** Opened by a password that an import brought. */
  readonly byPassword?: boolean;
  /** The session is that of a launch from a course. */
  readonly activityIds?: readonly string[];
  /** Somebody else says who the person is: an identity provider or a learning platform. */
  readonly isVouched?: true;
};

/** A longer ID token is not kept: the provider then asks the person whether to sign out. */
const MOST_ID_TOKEN = 8_192;
const idTokenField = (sessionId: string): string => `session.${sessionId}.id_token`;

/** Sessions of browsers. They end by sign-out, by time, or with the key or role that they came from. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly authenticator: Authenticator,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly secrets: SecretsService,
    changes: OrganizationChanges,
  ) {
    // A returning role or member gets no old session.
    changes.onMember(async ({ organizationId, userId }, tx) => {
      await sessions.removeOfMember(organizationId, userId, tx);
    });
  }

  /** Opens a session with a new id (session fixation). */
  async open({ scopes, signOn, ...opening }: SessionOpening, context: SignInContext): Promise<OpenedSession> {
    if (context.replaces !== null) await this.end(context.replaces, context);
    const token = newSessionToken();
    // Only programs may name end users: a page acts for its user.
    const granted = scopes.filter((scope) => scope !== 'act_as');
    const session = { ...opening, id: uuidv7(), hash: sessionHashOf(token), scopes: granted };
    const caller = await this.inTransactionOf(session, async (tx) => {
      const origin = signOn === undefined ? {} : { signOn: await this.sealed(session, signOn, tx) };
      await this.sessions.insert({ ...session, ...origin }, tx);
      await this.sessions.noteFirst(session, tx);
      await this.sessions.removeStale(session, tx);
      const row = await this.sessions.findByHash(session.hash, tx);
      // A suspended organization, for example: no row stays.
      if (row === null || !isUsable(row)) throw unauthenticated();
      const opened = callerOf(row, 'session');
      await this.record(opened, 'session.create', context, tx, {
        scopes: granted,
        api_key_id: session.apiKeyId,
        ...(signOn !== undefined && { issuer: signOn.issuerKey }),
        ...(session.assistantIds !== undefined && { assistant_ids: session.assistantIds }),
        ...(session.byPassword === true && { by: 'password' }),
      });
      return opened;
    });
    return { token, caller };
  }

  /** Effective at once here, within 5 s on other replicas. An ended session is no error. */
  async end(token: string, origin: RequestOrigin): Promise<void> {
    const caller = await orNull('unauthenticated', () => this.authenticator.authenticateSession(token));
    await this.inTransactionOf(caller, async (tx) => {
      const removed = await this.sessions.removeByHash(sessionHashOf(token), tx);
      if (removed && caller !== null) await this.record(caller, 'session.end', origin, tx);
    });
    if (caller !== null) this.authenticator.forget(caller.organizationId);
  }

  /** The sessions that a provider's logout notice names. */
  async endAtProvider(issuerKey: string, notice: EndedAtProvider, { requestId, ip }: RequestOrigin): Promise<void> {
    const ended = await this.transactions.run(async (tx) => {
      const sessions = await this.sessions.removeAtProvider(notice, tx);
      const entries = sessions.map(({ id, organizationId, userId }) => ({
        caller: null,
        origin: { requestId, ip },
        organizationId,
        action: 'session.end',
        target: { type: 'session', id },
        after: { ended_by: 'provider', issuer: issuerKey, user_id: userId },
      }));
      await this.audit.recordAll(entries, tx);
      return sessions;
    });
    for (const organizationId of new Set(ended.map((session) => session.organizationId))) {
      this.authenticator.forget(organizationId);
    }
  }

  /** The member of a session that a password opened, from the cookie; null for any other one. */
  async memberByPassword(token: string): Promise<LinkedMember | null> {
    const caller = await orNull('unauthenticated', () => this.authenticator.authenticateSession(token));
    return caller?.credentialId == null ? null : this.sessions.openedByPassword(caller.credentialId);
  }

  /** The provider's settings and the ID token of a session of single sign-on; null for another one. */
  async signOnOf({
    credentialId,
    organizationId,
    kind,
  }: Caller): Promise<Pick<SignOn, 'issuerKey' | 'idToken'> | null> {
    if (kind !== 'session' || credentialId === null) return null;
    return withinOrganization(organizationId, async () => {
      const found = await this.sessions.signOnOf(credentialId);
      if (found === null || found.idToken === null) return found;
      const opened = this.secrets.open(organizationId, idTokenField(credentialId), found.idToken);
      return { ...found, idToken: await opened.catch(() => null) };
    });
  }

  /** Takes the organization of the credential, as no caller is signed in yet. */
  private inTransactionOf<T>(
    owner: Pick<Caller, 'organizationId'> | null,
    work: (tx: Transaction) => Promise<T>,
  ): Promise<T> {
    const run = (): Promise<T> => this.transactions.run(work);
    return owner === null ? run() : withinOrganization(owner.organizationId, run);
  }

  private async sealed(
    { id, organizationId }: Pick<NewSession, 'id' | 'organizationId'>,
    signOn: SignOn,
    tx: Transaction,
  ): Promise<SignOn> {
    const { idToken } = signOn;
    const isKept = idToken !== null && idToken.length <= MOST_ID_TOKEN;
    return {
      ...signOn,
      idToken: isKept ? await this.secrets.seal(organizationId, idTokenField(id), idToken, tx) : null,
    };
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
