import { Global, Module } from '@nestjs/common';
import { DataKeyRepository } from './data-key.repository';
import { SecretsService } from './secrets.service';

@Global()
@Module({ providers: [DataKeyRepository, SecretsService], exports: [SecretsService] })
export class SecretsModule {}
