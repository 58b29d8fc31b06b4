import { Global, Module } from '@nestjs/common';
import { AuditKeeper } from './chain/audit-keeper';
import { AuditLog } from './entries/audit-log';
import { AuditSealer } from './chain/audit-sealer';
import { AuditVerifier } from './chain/audit-verifier';
import { AuditRepository } from './entries/audit.repository';
import { ChainRepository } from './chain/chain.repository';
import { WrittenMac } from './entries/written-mac';

@Global()
@Module({
  providers: [AuditRepository, ChainRepository, WrittenMac, AuditLog, AuditSealer, AuditVerifier, AuditKeeper],
  exports: [AuditLog, AuditSealer, AuditVerifier, AuditKeeper],
})
export class AuditModule {}
