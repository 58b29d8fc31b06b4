export { AuditLogModule } from './audit-log.module';
export { AuditExport } from './audit-export.service';
export { EXPORT_FORMATS, type ExportFormat } from './audit.dto';
