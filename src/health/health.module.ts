import { Module } from '@nestjs/common';
import { KnowledgeBasesModule } from '../knowledge-bases';
import { HealthController } from './health.controller';
import { Lifecycle } from './lifecycle.service';

@Module({
  imports: [KnowledgeBasesModule],
  controllers: [HealthController],
  providers: [Lifecycle],
  exports: [Lifecycle],
})
export class HealthModule {}
