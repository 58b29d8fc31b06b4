export { type AuditItem, AuditLog } from './audit-log';
export { AuditModule } from './audit.module';
export { rememberOrigin } from './request-origin';
