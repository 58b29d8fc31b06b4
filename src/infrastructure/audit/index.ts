export { type AuditItem, AuditLog, type AuditRecord } from './audit-log';
export { AuditModule } from './audit.module';
export type { AuditFilter } from './audit.repository';
export { AuditKeeper, type PersonToRedact } from './chain/audit-keeper';
export { AuditSealer } from './chain/audit-sealer';
export { AuditVerifier, type ChainReport, type ChainState } from './chain/audit-verifier';
export { chainFigures } from './chain/chain-figures.repository';
export { FINDING_KINDS } from './chain/chain-walk';
export { type VersionedChange, type VersionedRequest, VersionedResource } from './versioned-resource';
