import { Module } from '@nestjs/common';
import { FilesModule } from '../files';
import { KnowledgeBasesModule } from '../knowledge-bases';
import { OrganizationsModule } from '../organizations';
import { PoolMetrics } from '../infrastructure/database';
import { HealthReportController } from './checks/health-report.controller';
import { HealthReport } from './checks/health-report.service';
import { InstallationChecks } from './checks/installation-checks';
import { OutsideChecks } from './checks/outside-checks';
import { ProcessChecks } from './checks/process-checks';
import { FiguresMetrics } from './figures/figures.metrics';
import { FiguresRepository } from './figures/figures.repository';
import { Figures } from './figures/installation-figures.service';
import { HealthController } from './health.controller';
import { Lifecycle } from './lifecycle.service';
import { MetricsController } from './metrics/metrics.controller';
import { MetricsServer } from './metrics/metrics-server';

@Module({
  imports: [FilesModule, KnowledgeBasesModule, OrganizationsModule],
  controllers: [HealthController, HealthReportController, MetricsController],
  providers: [
    Figures,
    FiguresMetrics,
    FiguresRepository,
    HealthReport,
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
