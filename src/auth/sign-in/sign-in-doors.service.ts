import { Injectable } from '@nestjs/common';
import { AppError, type Caller } from '../../kernel';
import { OrganizationsService } from '../../organizations';
import { Authenticator } from '../access/authenticator';
import { Issuers } from '../issuers/issuers.service';
import type { SessionDto } from './session.dto';
import { type OpenedSession, type SignInContext, SessionsService } from './sessions.service';

export const signOnPath = (key: string, action: 'login' | 'logout' | 'callback' | 'logo'): string =>
  `/auth/oidc/${key}/${action}`;

/** The ways in for a browser that is signed out, and the way out for one that is signed in. */
@Injectable()
export class SignInDoors {
  constructor(
    private readonly issuers: Issuers,
    private readonly sessions: SessionsService,
    private readonly authenticator: Authenticator,
    private readonly organizations: OrganizationsService,
  ) {}

  /**
   * System administrators may always come in by key: somebody has to repair a provider that is set up wrongly.
   * @throws {AppError} `unauthenticated`; `forbidden` for a key without the scope `read`; `feature_disabled`
   */
  async openByKey(key: string, context: SignInContext): Promise<OpenedSession> {
    const caller = await this.authenticator.authenticateKey(key);
    const { organizationId, userId, credentialId: apiKeyId, role, scopes } = caller;
    if (!scopes.includes('read')) throw new AppError('forbidden', 'To sign in with it, a key needs the scope read');
    const { features } = await this.organizations.runtime(organizationId);
    if (!features.local_sign_in && !caller.systemAdmin) {
      throw new AppError('feature_disabled', 'People of this organization sign in through their institution');
    }
    return this.sessions.open({ organizationId, userId, apiKeyId, role, scopes }, context);
  }

  async of(caller: Caller | null): Promise<SessionDto> {
    if (caller !== null) {
      const signOn = await this.sessions.signOnOf(caller);
      const sign_out_url = signOn === null ? null : signOnPath(signOn.issuerKey, 'logout');
      return { signed_in: true, providers: [], sign_out_url };
    }
    const listed = await this.issuers.listed();
    const providers = listed.map(({ key, name, hasLogo }) => ({
      name,
      url: signOnPath(key, 'login'),
      logo: hasLogo ? signOnPath(key, 'logo') : null,
    }));
    return { signed_in: false, providers, sign_out_url: null };
  }
}
