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
import { TrustedProxies } from './trusted-proxies';

@Module({
  imports: [OrganizationsModule],
  controllers: [ApiKeysController, MeController],
  providers: [
    ApiKeyRepository,
    Authenticator,
    ApiKeysService,
    BootstrapService,
    CallerRenewal,
    CredentialGate,
    TrustedProxies,
    { provide: APP_GUARD, useClass: AccessGuard },
  ],
  exports: [ApiKeysService, BootstrapService, CallerRenewal, CredentialGate],
})
export class AuthModule {}
