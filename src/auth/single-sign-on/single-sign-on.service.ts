import { AppError, type RequestOrigin, existing, orNull } from '@bellwether/kernel';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../../infrastructure/config';
import { Accounts, type AdmissionProblem, RefusedAdmission } from '../issuers/accounts.service';
import type { Claims, Issuer } from '../issuers/issuer.types';
import { Issuers } from '../issuers/issuers.service';
import { OpenIdClient, RefusedAnswer } from '../issuers/openid-client';
import { RefusedToken, TokenVerifier } from '../issuers/token-verifier';
import { Authenticator } from '../access/authenticator';
import { scopesOf } from '../sessions/role-scopes';
import { newSessionToken, sessionHashOf } from '../sessions/session-cookie';
import type { LinkedMember } from '../sessions/sign-in-link.repository';
import { signOnPath } from '../sign-in/sign-in.service';
import { type OpenedSession, type SignInContext, SessionsService } from '../sign-in/sessions.service';
import { addressGroup } from '../access/failed-credentials.service';
import { checksOf } from './sign-in-attempt';
import { SignInAttemptRepository } from './sign-in-attempt.repository';
import { AcrossOrganizations } from '../../infrastructure/database';

/** Why a sign-in did not work, for the sign-in page. */
export type SignOnProblem = 'expired' | 'refused' | 'unavailable' | AdmissionProblem;

export class FailedSignOn extends Error {
  constructor(
    readonly problem: SignOnProblem,
    /** The provider's word for it, for administrators. */
    readonly reason: string = problem,
  ) {
    super(`Single sign-on failed: ${problem}`);
    this.name = 'FailedSignOn';
  }
}

/** A trial that did not come to an outcome: back to the page that began it, with the reason for the administrator. */
export class FailedDryRun extends Error {
  constructor(
    readonly returnTo: string,
    readonly outcome: { readonly failure: SignOnProblem; readonly reason: string },
  ) {
    super(`A trial sign-in failed: ${outcome.failure}`);
    this.name = 'FailedTrial';
  }
}

/** The browser that signs in. */
export interface SignOnBrowser {
  /** Value of the cookie that binds its sign-ins to it. */
  readonly token: string;
  /** Origin of this service, as the browser knows it. */
  readonly origin: string;
  readonly address: string | null;
}

/** A finished sign-in; a trial has no session. */
export interface FinishedSignOn {
  readonly returnTo: string;
  readonly opened: OpenedSession | null;
  readonly trial: { readonly issuer: Issuer; readonly claims: Claims } | null;
}

/** Authorization code flow with PKCE, from the button on the sign-in page to a session, and both ways of logout. */
@Injectable()
export class SingleSignOn {
  private readonly logger = new Logger('SingleSignOn');

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly issuers: Issuers,
    private readonly provider: OpenIdClient,
    private readonly verifier: TokenVerifier,
    private readonly accounts: Accounts,
    private readonly attempts: SignInAttemptRepository,
    private readonly sessions: SessionsService,
    private readonly authenticator: Authenticator,
  ) {}

  /** The origin of this service, as browsers know it. The provider compares the redirect address, so a forged `Host` gets nowhere. */
  originOf(requested: string): string {
    return this.config.http.publicUrl ?? requested;
  }

  /**
   * Address at the provider. `member`: the person who is signed in and links the account there.
   * @throws FailedSignOn
   * @throws {AppError} `not_found`
   */
  @AcrossOrganizations('sign-in')
  async begin(
    key: string,
    returnTo: string,
    browser: SignOnBrowser,
    { trialOf = null, member = null }: { readonly trialOf?: Issuer | null; readonly member?: LinkedMember | null } = {},
  ): Promise<string> {
    const issuer = existing(trialOf ?? (await this.issuers.find(key)), 'Sign-in service');
    const state = newSessionToken();
    const checks = checksOf(browser.token, state, browser.origin + signOnPath(key, 'callback'));
    try {
      const url = await this.provider.loginUrl(issuer, checks);
      const [hash, browserHash] = [sessionHashOf(state), sessionHashOf(browser.token)];
      const address = addressGroup(browser.address);
      const link = { linkOrganizationId: member?.organizationId ?? null, linkUserId: member?.userId ?? null };
      const trial = trialOf !== null;
      await this.attempts.insert({ hash, browserHash, address, issuerKey: key, returnTo, trial, ...link });
      return url;
    } catch (error) {
      throw this.failed(key, error);
    }
  }

  /** @throws FailedSignOn, FailedDryRun */
  @AcrossOrganizations('sign-in')
  async finish(
    key: string,
    answer: URLSearchParams,
    browser: SignOnBrowser,
    context: SignInContext,
  ): Promise<FinishedSignOn> {
    const state = answer.get('state') ?? '';
    const own = { hash: sessionHashOf(state), browserHash: sessionHashOf(browser.token), issuerKey: key };
    const attempt = await this.attempts.consume(own);
    if (attempt === null) throw this.failed(key, new FailedSignOn('expired'));
    const { returnTo, trial, linkOrganizationId: organizationId, linkUserId: userId } = attempt;
    try {
      const issuer = await (trial ? this.issuers.findStored(key) : this.issuers.find(key));
      if (issuer === null) throw new FailedSignOn('expired');
      const checks = checksOf(browser.token, state, browser.origin + signOnPath(key, 'callback'));
      const { claims, idToken } = await this.provider.finishLogin(issuer, answer, checks);
      if (trial) return { returnTo, opened: null, trial: { issuer, claims } };
      const member = organizationId === null || userId === null ? null : { organizationId, userId };
      const opened = await this.open(issuer, { claims, idToken, member }, context);
      return { returnTo, opened, trial: null };
    } catch (error) {
      const failed = this.failed(key, error);
      if (!trial || !(failed instanceof FailedSignOn)) throw failed;
      throw new FailedDryRun(returnTo, { failure: failed.problem, reason: failed.reason });
    }
  }

  /** Ends the session here. Returns the address that ends it at the provider, or null. */
  @AcrossOrganizations('sign-in')
  async end(key: string, sessionToken: string | null, origin: string, context: SignInContext): Promise<string | null> {
    if (sessionToken === null) return null;
    const caller = await orNull('unauthenticated', () => this.authenticator.authenticateSession(sessionToken));
    const signOn = caller === null ? null : await this.sessions.signOnOf(caller);
    await this.sessions.end(sessionToken, context);
    const issuer = signOn?.issuerKey === key ? await this.issuers.find(key) : null;
    if (signOn === null || issuer === null) return null;
    try {
      return await this.provider.logoutUrl(issuer, signOn.idToken, `${origin}/sign-in`);
    } catch (error) {
      // The session here is over; a provider that is down ends its own later.
      this.failed(key, error);
      return null;
    }
  }

  /** Ends the sessions that a provider says are over. @throws {AppError} `bad_request` */
  @AcrossOrganizations('sign-in')
  async endAtProvider(key: string, logoutToken: string, origin: RequestOrigin): Promise<void> {
    const issuer = existing(await this.issuers.find(key), 'Sign-in service');
    try {
      const notice = await this.verifier.logoutNotice(issuer, logoutToken);
      await this.sessions.endAtProvider(key, notice, origin);
    } catch (error) {
      if (!(error instanceof RefusedToken)) throw error;
      this.logger.warn({ msg: 'a logout notice was refused', issuer: key, reason: error.reason });
      throw new AppError('bad_request', 'The logout token is not valid');
    }
  }

  private async open(
    issuer: Issuer,
    {
      claims,
      idToken,
      member,
    }: { readonly claims: Claims; readonly idToken: string; readonly member: LinkedMember | null },
    context: SignInContext,
  ): Promise<OpenedSession> {
    const { organizationId, userId, role } = await this.accounts.admit(issuer, claims, 'id_token', member);
    const { iss, sub, sid, iat } = claims;
    const signOn = {
      issuerKey: issuer.key,
      issuer: String(iss),
      subject: String(sub),
      providerSession: typeof sid === 'string' ? sid : null,
      idToken,
      issuedAt: typeof iat === 'number' ? new Date(iat * 1_000) : null,
    };
    return this.sessions.open(
      { organizationId, userId, apiKeyId: null, role, scopes: scopesOf(role), signOn, isVouched: true },
      context,
    );
  }

  /** Logged with its reason and without any token. */
  private failed(issuer: string, error: unknown): Error {
    const problem = problemOf(error);
    if (problem === null) return error instanceof Error ? error : new Error('Single sign-on failed', { cause: error });
    const reason = error instanceof RefusedAnswer ? error.reason : problem;
    const cause = problem === 'unavailable' && error instanceof AppError ? causeOf(error) : undefined;
    this.logger.warn({ msg: 'a sign-in failed', issuer, reason, ...(cause !== undefined && { cause }) });
    return new FailedSignOn(problem, cause ?? reason);
  }
}

function problemOf(error: unknown): SignOnProblem | null {
  if (error instanceof FailedSignOn || error instanceof RefusedAdmission) return error.problem;
  if (error instanceof RefusedAnswer) return 'refused';
  if (!(error instanceof AppError)) return null;
  if (error.code === 'unauthenticated') return 'no_organization';
  return error.code === 'unavailable' || error.code === 'secret_unavailable' ? 'unavailable' : null;
}

/** The innermost message: for operators, who have to see why a provider does not answer. */
function causeOf(error: Error): string {
  let cause: Error = error;
  while (cause.cause instanceof Error) cause = cause.cause;
  return cause.message.slice(0, 200);
}
