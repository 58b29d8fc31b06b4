import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { OrganizationsModule } from '../organizations';
import { AccessGuard } from './access/access.guard';
import { ApiKeyRepository } from './keys/api-key.repository';
import { ApiKeysController } from './api-keys.controller';
import { ApiKeysService } from './api-keys.service';
import { Authenticator } from './access/authenticator';
import { BootstrapService } from './bootstrap.service';
import { CallerRenewal } from './access/caller-renewal.service';
import { CallerWatch } from './access/caller-watch.service';
import { CredentialGate } from './access/credential-gate';
import { FailedCredentials } from './access/failed-credentials.service';
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
import { SignInController } from './sign-in/sign-in.controller';
import { TrustedProxies } from './access/trusted-proxies';

@Module({
  imports: [OrganizationsModule],
  controllers: [ApiKeysController, MeController, OpenSessionsController, SessionsController, SignInController],
  providers: [
    ApiKeyRepository,
    Authenticator,
    ApiKeysService,
    BootstrapService,
    CallerRenewal,
    CallerWatch,
    CredentialGate,
    FailedCredentials,
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
    RequestAuthenticator,
    SignInLinks,
  ],
})
export class AuthModule {}
