import { Module } from '@nestjs/common';
import { FilesModule } from '../files';
import { PoolMetrics } from '../infrastructure/database';
import { KnowledgeBasesModule } from '../knowledge-bases';
import { OrganizationsModule } from '../organizations';
import { HealthReportController } from './health-report.controller';
import { HealthReport, InstallationChecks, OutsideChecks, ProcessChecks } from './health-report.service';
import { FiguresMetrics } from './figures.metrics';
import { FiguresRepository } from './figures.repository';
import { Figures } from './installation-figures.service';
import { HealthController } from './health.controller';
import { Lifecycle } from './lifecycle.service';
import { MetricsServer } from './metrics-server';
import { MetricsController } from './metrics.controller';

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
