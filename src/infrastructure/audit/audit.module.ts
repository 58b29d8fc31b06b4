import { Global, Module } from '@nestjs/common';
import { AuditKeeper } from './chain/audit-keeper';
import { AuditSealer } from './chain/audit-sealer';
import { AuditVerifier } from './chain/audit-verifier';
import { ChainRepository } from './chain/chain.repository';
import { AuditLog, WrittenMac } from './audit-log';
import { AuditRepository } from './audit.repository';

@Global()
@Module({
  providers: [AuditRepository, ChainRepository, WrittenMac, AuditLog, AuditSealer, AuditVerifier, AuditKeeper],
  exports: [AuditLog, AuditSealer, AuditVerifier, AuditKeeper],
})
export class AuditModule {}
