import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { OrganizationsModule } from '../organizations';
import { AccessGuard } from './access.guard';
import { ApiKeyRepository } from './api-key.repository';
import { ApiKeysController } from './api-keys.controller';
import { ApiKeysService } from './api-keys.service';
import { Authenticator } from './authenticator';
import { BootstrapService } from './bootstrap.service';
import { CallerRenewal } from './caller-renewal.service';
import { CredentialGate } from './credential-gate';
import { MeController } from './me.controller';
import { Myself } from './myself.service';
import { RequestAuthenticator } from './request-authenticator';
import { OpenSessionsController } from './sessions/open-sessions.controller';
import { OpenSessions } from './sessions/open-sessions.service';
import { SessionCookie } from './sessions/session-cookie';
import { SessionRepository } from './sessions/session.repository';
import { SessionsController } from './sessions/sessions.controller';
import { SessionsService } from './sessions/sessions.service';
import { SignInLinkRepository } from './sessions/sign-in-link.repository';
import { SignInLinks } from './sessions/sign-in-links.service';
import { SignInController } from './sessions/sign-in.controller';
import { TrustedProxies } from './trusted-proxies';

@Module({
  imports: [OrganizationsModule],
  controllers: [ApiKeysController, MeController, OpenSessionsController, SessionsController, SignInController],
  providers: [
    ApiKeyRepository,
    Authenticator,
    ApiKeysService,
    BootstrapService,
    CallerRenewal,
    CredentialGate,
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
  exports: [ApiKeysService, BootstrapService, CallerRenewal, CredentialGate, SignInLinks],
})
export class AuthModule {}
