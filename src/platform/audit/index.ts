export { type AuditItem, AuditLog, type AuditRecord } from './audit-log';
export { AuditModule } from './audit.module';
