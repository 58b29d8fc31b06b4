export type { AuditFilter } from './entries/audit-filter';
export { AuditKeeper, type PersonToRedact } from './chain/audit-keeper';
export { type AuditItem, AuditLog, type AuditRecord } from './entries/audit-log';
export { AuditSealer } from './chain/audit-sealer';
export { AuditVerifier, type ChainReport, type ChainState } from './chain/audit-verifier';
export { AuditModule } from './audit.module';
export { FINDING_KINDS } from './chain/chain-walk';
export { chainFigures } from './chain/chain-figures.repository';
