import { Module } from '@nestjs/common';
import { AuthModule } from '../auth';
import { OrganizationsModule } from '../organizations';
import { AuditController } from './audit.controller';
import { AuditExport } from './audit-export.service';
import { AuditTargetRepository } from './audit-targets.repository';
import { AuditView } from './audit-view.service';

@Module({
  imports: [AuthModule, OrganizationsModule],
  controllers: [AuditController],
  providers: [AuditExport, AuditTargetRepository, AuditView],
  exports: [AuditExport, AuditView],
})
export class AuditLogModule {}
