export { AuditModule } from './audit.module';
export { AuditKeeper, type PersonToRedact } from './chain/audit-keeper';
export { AuditSealer } from './chain/audit-sealer';
export { AuditVerifier, type ChainReport, type ChainState } from './chain/audit-verifier';
export { chainFigures } from './chain/chain-figures.repository';
export { FINDING_KINDS } from './chain/chain-walk';
export { type AuditItem, AuditLog, type AuditRecord } from './audit-log';
export type { AuditFilter } from './audit.repository';
