import { Module } from '@nestjs/common';
import { KnowledgeBasesModule } from '../knowledge-bases';
import { PoolMetrics } from '../platform/database';
import { FiguresMetrics } from './figures/figures.metrics';
import { FiguresRepository } from './figures/figures.repository';
import { Figures } from './figures/installation-figures.service';
import { HealthController } from './health.controller';
import { Lifecycle } from './lifecycle.service';
import { MetricsController } from './metrics/metrics.controller';
import { MetricsServer } from './metrics/metrics-server';

@Module({
  imports: [KnowledgeBasesModule],
  controllers: [HealthController, MetricsController],
  providers: [Figures, FiguresMetrics, FiguresRepository, Lifecycle, MetricsServer, PoolMetrics],
  exports: [Lifecycle, MetricsServer],
})
export class HealthModule {}
