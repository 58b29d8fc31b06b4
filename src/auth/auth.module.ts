import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AdmissionModule } from '../infrastructure/admission';
import { JobsModule } from '../infrastructure/jobs';
import { MailModule } from '../infrastructure/mail';
import { OrganizationsModule } from '../organizations';
import { AccessTokens } from './access/access-tokens.service';
import { AccessGuard } from './access/access.guard';
import { Authenticator, CredentialMiddleware, RequestAuthenticator } from './access/authenticator';
import { CallerRenewal, CallerMonitor } from './access/caller-monitor.service';
import { FailedCredentials, TrustedProxies } from './access/failed-credentials.service';
import { ApiKeysController } from './api-keys.controller';
import { ApiKeysService } from './api-keys.service';
import { BootstrapService } from './bootstrap.service';
import { ImportedPasswordRepository } from './imported-passwords/imported-password.repository';
import { ImportedPasswords } from './imported-passwords/imported-passwords.service';
import { InvitableMembers } from './invitations/invitable-members.service';
import { InvitationMail } from './invitations/invitation-mail.service';
import { InvitationsController } from './invitations/invitations.controller';
import { Invitations } from './invitations/invitations.service';
import { SignInLinksOfMembers } from './invitations/sign-in-links-of-members.service';
import { Accounts } from './issuers/accounts.service';
import { IdentityRepository } from './issuers/identity.repository';
import { IssuerRepository } from './issuers/issuer.repository';
import { Issuers } from './issuers/issuers.service';
import { OpenIdClient } from './issuers/openid-client';
import { TokenVerifier } from './issuers/token-verifier';
import { ApiKeyRepository } from './api-key.repository';
import { ScimTokenRepository } from './scim-tokens/scim-token.repository';
import { ScimTokens } from './scim-tokens/scim-tokens.service';
import { SessionCookie } from './sessions/session-cookie';
import { SessionRepository } from './sessions/session.repository';
import { SignInLinkRepository } from './sessions/sign-in-link.repository';
import { MeController } from './sign-in/me.controller';
import { OpenSessionsController } from './sign-in/open-sessions.controller';
import { CurrentUserService, OpenSessions } from './sign-in/open-sessions.service';
import { SessionsController } from './sign-in/sessions.controller';
import { SessionsService } from './sign-in/sessions.service';
import { SignInMail } from './sign-in/sign-in-mail.service';
import { SignInService } from './sign-in/sign-in.service';
import { SignInLinks } from './sign-in/sign-in-links.service';
import { SignInController } from './sign-in/sign-in.controller';
import { SignInAttemptCookie } from './single-sign-on/sign-in-attempt';
import { SignInAttemptRepository } from './single-sign-on/sign-in-attempt.repository';
import { IssuerConnectionTests, RuleDryRun } from './single-sign-on/issuer-connection-tests.service';
import { IssuerAdministration } from './single-sign-on/issuer-administration.service';
import { IssuersController } from './single-sign-on/issuers.controller';
import { SingleSignOnController } from './single-sign-on/single-sign-on.controller';
import { SingleSignOn } from './single-sign-on/single-sign-on.service';

/** Providers that other modules use. */
const SHARED = [
  AccessGuard,
  ApiKeysService,
  BootstrapService,
  CallerRenewal,
  CallerMonitor,
  CredentialMiddleware,
  FailedCredentials,
  ImportedPasswords,
  InvitableMembers,
  RequestAuthenticator,
  ScimTokens,
  SessionCookie,
  SessionsService,
  SignInLinks,
];

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
    SingleSignOnController,
  ],
  providers: [
    ...SHARED,
    AccessTokens,
    Accounts,
    ApiKeyRepository,
    SignInAttemptCookie,
    SignInAttemptRepository,
    SignInMail,
    SignInService,
    SingleSignOn,
    IssuerConnectionTests,
    IssuerAdministration,
    RuleDryRun,
    IdentityRepository,
    ImportedPasswordRepository,
    IssuerRepository,
    Issuers,
    OpenIdClient,
    TokenVerifier,
    Authenticator,
    ScimTokenRepository,
    InvitationMail,
    Invitations,
    SignInLinksOfMembers,
    CurrentUserService,
    OpenSessions,
    SessionRepository,
    SignInLinkRepository,
    TrustedProxies,
    { provide: APP_GUARD, useExisting: AccessGuard },
  ],
  exports: SHARED,
})
export class AuthModule {}
