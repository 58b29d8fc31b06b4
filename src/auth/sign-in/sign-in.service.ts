import { AppError, type Caller, type RequestOrigin, orNull } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { OrganizationsService } from '../../organizations';
import { Authenticator } from '../access/authenticator';
import { type OfferQuery, Issuers } from '../issuers/issuers.service';
import { ImportedPasswords } from '../imported-passwords/imported-passwords.service';
import { scopesOf } from '../sessions/role-scopes';
import { unauthenticated } from '../access/credential';
import type { LinkedPersonDto, SessionDto, SignInProviderDto } from './session.dto';
import { type OpenedSession, type SignInContext, SessionsService } from './sessions.service';
import { type MemberLink, SignInLinks } from './sign-in-links.service';

export const signOnPath = (key: string, action: 'login' | 'logout' | 'callback' | 'logo'): string =>
  `/auth/oidc/${key}/${action}`;

/** The ways in for a browser that is signed out, and the way out for one that is signed in. */
@Injectable()
export class SignInService {
  constructor(
    private readonly issuers: Issuers,
    private readonly sessions: SessionsService,
    private readonly authenticator: Authenticator,
    private readonly organizations: OrganizationsService,
    private readonly links: SignInLinks,
    private readonly passwords: ImportedPasswords,
  ) {}

  /**
   * System administrators may always come in by key: somebody has to repair a provider that is set up wrongly.
   * @throws {AppError} `unauthenticated`; `forbidden` for a key without the scope `read`; `feature_disabled`
   */
  async openByKey(key: string, context: SignInContext): Promise<OpenedSession> {
    const caller = await this.authenticator.authenticateKey(key);
    const { organizationId, userId, credentialId: apiKeyId, role, scopes } = caller;
    if (!scopes.includes('read'))
      throw new AppError('forbidden', 'To sign in with it, a key needs the scope read', {
        reason: 'key.cannot_sign_in',
      });
    const { features } = await this.organizations.runtime(organizationId);
    if (!features.local_sign_in && !caller.systemAdmin) {
      throw new AppError('feature_disabled', 'People of this organization sign in through their institution', {
        reason: 'member.by_institution',
      });
    }
    return this.sessions.open({ organizationId, userId, apiKeyId, role, scopes }, context);
  }

  /**
   * Signs in with a password that an import brought, which is used up. @throws {AppError} `unauthenticated`,
   * `too_many_requests`
   */
  async openByPassword(email: string, password: string, context: SignInContext): Promise<OpenedSession> {
    const member = await this.passwords.consume(email, password);
    if (member === null) throw unauthenticated();
    const scopes = scopesOf(member.role);
    return this.sessions.open({ ...member, apiKeyId: null, scopes, byPassword: true }, context);
  }

  /** Null for a link that is used, expired, unknown or for somebody who may not sign in by it. */
  async openByLink(token: string, context: SignInContext): Promise<OpenedSession | null> {
    const linked = await this.links.consume(token);
    if (linked === null || !(await this.isOpen(linked))) return null;
    const { organizationId, userId, role } = linked;
    const scopes = scopesOf(role);
    // Refused for a suspended organization, for example.
    return orNull('unauthenticated', () =>
      this.sessions.open({ organizationId, userId, apiKeyId: null, role, scopes }, context),
    );
  }

  /**
   * The person that a link signs in, for the confirmation page.
   * @throws {AppError} `unauthenticated` where `openByLink` gives null
   */
  async lookAtLink(token: string): Promise<LinkedPersonDto> {
    const linked = await this.links.look(token);
    if (linked === null || !(await this.isOpen(linked))) throw unauthenticated();
    const { name: organization } = await this.organizations.runtime(linked.organizationId);
    return { name: linked.name, email: linked.email, organization };
  }

  private async isOpen({ organizationId, needsLocalSignIn, systemAdmin }: MemberLink): Promise<boolean> {
    return (
      !needsLocalSignIn || systemAdmin || (await this.organizations.runtime(organizationId)).features.local_sign_in
    );
  }

  /** Ends the session of a cookie. An ended one is no error. */
  end(token: string, origin: RequestOrigin): Promise<void> {
    return this.sessions.end(token, origin);
  }

  async of(caller: Caller | null, query: OfferQuery): Promise<Omit<SessionDto, 'mail'>> {
    if (caller !== null) {
      const signOn = await this.sessions.signOnOf(caller);
      const sign_out_url = signOn === null ? null : signOnPath(signOn.issuerKey, 'logout');
      return { signed_in: true, providers: [], password: false, sign_out_url };
    }
    const [providers, password] = await Promise.all([
      this.providers(query),
      this.passwords.isAnyLeft(query.organization ?? null),
    ]);
    return { signed_in: false, providers, password, sign_out_url: null };
  }

  async providers(query: OfferQuery): Promise<SignInProviderDto[]> {
    const offered = await this.issuers.offered(query);
    return offered.map(({ key, name, hasLogo, organization }) => ({
      name,
      organization,
      url: signOnPath(key, 'login'),
      logo: hasLogo ? signOnPath(key, 'logo') : null,
    }));
  }
}
