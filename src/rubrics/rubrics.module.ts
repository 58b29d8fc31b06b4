import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations';
import { RowCacheModule } from '../infrastructure/cache';
import { RubricImport } from './rubric-document';
import { RubricRepository } from './rubric.repository';
import { RubricsController } from './rubrics.controller';
import { RubricsService } from './rubrics.service';

@Module({
  imports: [OrganizationsModule, RowCacheModule],
  controllers: [RubricsController],
  providers: [RubricRepository, RubricsService, RubricImport],
  exports: [RubricsService, RubricImport],
})
export class RubricsModule {}
