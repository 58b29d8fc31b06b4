import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { OrganizationsModule } from '../organizations';
import { AdmissionModule } from '../infrastructure/admission';
import { JobsModule } from '../infrastructure/jobs';
import { MailModule } from '../infrastructure/mail';
import { AccessGuard } from './access/access.guard';
import { AccessTokens } from './access/access-tokens.service';
import { Accounts } from './issuers/accounts.service';
import { ImportedPasswordRepository } from './imported-passwords/imported-password.repository';
import { ImportedPasswords } from './imported-passwords/imported-passwords.service';
import { IdentityRepository } from './issuers/identity.repository';
import { IssuerRepository } from './issuers/issuer.repository';
import { Issuers } from './issuers/issuers.service';
import { OpenIdClient } from './issuers/openid-client';
import { TokenVerifier } from './issuers/token-verifier';
import { ApiKeyRepository } from './keys/api-key.repository';
import { ApiKeysController } from './api-keys.controller';
import { ApiKeysService } from './api-keys.service';
import { Authenticator } from './access/authenticator';
import { BootstrapService } from './bootstrap.service';
import { CallerRenewal } from './access/caller-renewal.service';
import { CallerWatch } from './access/caller-watch.service';
import { CredentialGate } from './access/credential-gate';
import { FailedCredentials } from './access/failed-credentials.service';
import { InvitableMembers } from './invitations/invitable-members.service';
import { InvitationMail } from './invitations/invitation-mail.service';
import { Invitations } from './invitations/invitations.service';
import { InvitationsController } from './invitations/invitations.controller';
import { MemberLinks } from './invitations/member-links.service';
import { MeController } from './sign-in/me.controller';
import { Myself } from './sign-in/myself.service';
import { RequestAuthenticator } from './access/request-authenticator';
import { OpenSessionsController } from './sign-in/open-sessions.controller';
import { OpenSessions } from './sign-in/open-sessions.service';
import { SessionCookie } from './sessions/session-cookie';
import { SessionRepository } from './sessions/session.repository';
import { SessionsController } from './sign-in/sessions.controller';
import { SessionsService } from './sign-in/sessions.service';
import { SignInLinkRepository } from './sessions/sign-in-link.repository';
import { SignInLinks } from './sign-in/sign-in-links.service';
import { AttemptCookie } from './single-sign-on/attempt-cookie';
import { AttemptRepository } from './single-sign-on/attempt.repository';
import { SingleSignOn } from './single-sign-on/single-sign-on.service';
import { SingleSignOnController } from './single-sign-on/single-sign-on.controller';
import { ConnectionTests } from './single-sign-on/connection-tests.service';
import { IssuerAdministration } from './single-sign-on/issuer-administration.service';
import { IssuersController } from './single-sign-on/issuers.controller';
import { Trials } from './single-sign-on/trials.service';
import { ScimTokenRepository } from './scim-tokens/scim-token.repository';
import { ScimTokensController } from './scim-tokens/scim-tokens.controller';
import { ScimTokens } from './scim-tokens/scim-tokens.service';
import { SignInDoors } from './sign-in/sign-in-doors.service';
import { SignInController } from './sign-in/sign-in.controller';
import { TrustedProxies } from './access/trusted-proxies';

@Module({
  imports: [AdmissionModule, JobsModule, MailModule, OrganizationsModule],
  controllers: [
    ApiKeysController,
    InvitationsController,
    MeController,
    OpenSessionsController,
    SessionsController,
    SignInController,
    IssuersController,
    ScimTokensController,
    SingleSignOnController,
  ],
  providers: [
    AccessTokens,
    Accounts,
    ApiKeyRepository,
    AttemptCookie,
    AttemptRepository,
    SignInDoors,
    SingleSignOn,
    ConnectionTests,
    IssuerAdministration,
    Trials,
    IdentityRepository,
    ImportedPasswordRepository,
    ImportedPasswords,
    IssuerRepository,
    Issuers,
    OpenIdClient,
    TokenVerifier,
    Authenticator,
    ApiKeysService,
    BootstrapService,
    CallerRenewal,
    CallerWatch,
    CredentialGate,
    FailedCredentials,
    ScimTokenRepository,
    ScimTokens,
    InvitableMembers,
    InvitationMail,
    Invitations,
    MemberLinks,
    Myself,
    OpenSessions,
    RequestAuthenticator,
    SessionCookie,
    SessionRepository,
    SessionsService,
    SignInLinkRepository,
    SignInLinks,
    TrustedProxies,
    { provide: APP_GUARD, useClass: AccessGuard },
  ],
  exports: [
    ApiKeysService,
    BootstrapService,
    CallerRenewal,
    CallerWatch,
    CredentialGate,
    ImportedPasswords,
    RequestAuthenticator,
    ScimTokens,
    SessionCookie,
    SessionsService,
    SignInLinks,
  ],
})
export class AuthModule {}
