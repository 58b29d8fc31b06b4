import { Module } from '@nestjs/common';
import { FilesModule } from '../files';
import { PoolMetrics } from '../infrastructure/database';
import { KnowledgeBasesModule } from '../knowledge-bases';
import { OrganizationsModule } from '../organizations';
import { HealthReportController } from './health-report.controller';
import { HealthReport, InstallationChecks, OutsideChecks, ProcessChecks } from './health-report.service';
import { REPORT_KEPT_MS } from './report-kept.token';
import { HealthController } from './health.controller';
import { InstallationStatisticsRepository } from './installation-statistics.repository';
import { InstallationMetrics, InstallationStatistics } from './installation-statistics.service';
import { Lifecycle } from './lifecycle.service';
import { MetricsServer } from './metrics-server';
import { MetricsController } from './metrics.controller';

@Module({
  imports: [FilesModule, KnowledgeBasesModule, OrganizationsModule],
  controllers: [HealthController, HealthReportController, MetricsController],
  providers: [
    InstallationStatistics,
    InstallationMetrics,
    InstallationStatisticsRepository,
    HealthReport,
    { provide: REPORT_KEPT_MS, useValue: 5_000 },
    InstallationChecks,
    Lifecycle,
    MetricsServer,
    OutsideChecks,
    PoolMetrics,
    ProcessChecks,
  ],
  exports: [Lifecycle, MetricsServer],
})
export class HealthModule {}
