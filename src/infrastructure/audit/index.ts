export { type AuditItem, AuditLog, type AuditRecord } from './audit-log';
export { AuditModule } from './audit.module';
export type { AuditFilter } from './audit.repository';
export { AuditChainEdits, type PersonToRedact } from './chain/audit-chain-edits';
export { AuditChainWriter } from './chain/audit-chain-writer';
export { AuditVerifier, type ChainReport, type ChainState } from './chain/audit-verifier';
export { FINDING_KINDS } from './chain/chain-walk';
export { chainFigures } from './chain/chain-figures.repository';
export { type VersionedChange, type VersionedRequest, VersionedResource } from './versioned-resource';
