import { Global, Module } from '@nestjs/common';
import { AuditLog } from './audit-log';
import { AuditRepository } from './audit.repository';

@Global()
@Module({ providers: [AuditRepository, AuditLog], exports: [AuditLog] })
export class AuditModule {}
