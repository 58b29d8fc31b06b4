import { Global, Module } from '@nestjs/common';
import { AuditChainEdits } from './chain/audit-chain-edits';
import { AuditChainWriter } from './chain/audit-chain-writer';
import { AuditVerifier } from './chain/audit-verifier';
import { ChainRepository } from './chain/chain.repository';
import { AuditLog, EntrySignature } from './audit-log';
import { AuditRepository } from './audit.repository';

@Global()
@Module({
  providers: [
    AuditRepository,
    ChainRepository,
    EntrySignature,
    AuditLog,
    AuditChainWriter,
    AuditVerifier,
    AuditChainEdits,
  ],
  exports: [AuditLog, AuditChainWriter, AuditVerifier, AuditChainEdits],
})
export class AuditModule {}
