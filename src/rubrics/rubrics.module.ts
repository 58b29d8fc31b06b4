import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations';
import { RubricRepository } from './rubric.repository';
import { RubricsController } from './rubrics.controller';
import { RubricsService } from './rubrics.service';

@Module({
  imports: [OrganizationsModule],
  controllers: [RubricsController],
  providers: [RubricRepository, RubricsService],
  exports: [RubricsService],
})
export class RubricsModule {}
