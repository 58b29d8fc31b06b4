export { type AuditItem, AuditLog, type AuditRecord } from './audit-log';
export { AuditModule } from './audit.module';
export { rememberOrigin, type RequestOrigin } from './request-origin';
