import { Module } from '@nestjs/common';
import { AssistantsModule } from '../assistants';
import { MeteringModule } from '../metering';
import { OrganizationsModule } from '../organizations';
import { LimitStandingsController } from './limit-standings.controller';
import { QuotaReportService } from './quota-report.service';
import { SubjectNamesRepository } from './subject-names.repository';
import { UsageReportRepository } from './reports/usage-report.repository';
import { UsageAccess, UsageReports } from './reports/usage-reports.service';
import { UsageController } from './reports/usage.controller';

@Module({
  imports: [AssistantsModule, MeteringModule, OrganizationsModule],
  controllers: [LimitStandingsController, UsageController],
  providers: [QuotaReportService, SubjectNamesRepository, UsageAccess, UsageReportRepository, UsageReports],
})
export class UsageModule {}
