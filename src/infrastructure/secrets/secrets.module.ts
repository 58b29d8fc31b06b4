import { Global, Module } from '@nestjs/common';
import { DataKeyRepository } from './data-key.repository';
import { KeyRing, SecretsService } from './secrets.service';

@Global()
@Module({ providers: [KeyRing, DataKeyRepository, SecretsService], exports: [SecretsService] })
export class SecretsModule {}
