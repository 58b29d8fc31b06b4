import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations';
import { RubricArrivals } from './rubric-arrivals';
import { RubricArrivalsRepository } from './rubric-arrivals.repository';
import { RubricRepository } from './rubric.repository';
import { RubricsController } from './rubrics.controller';
import { RubricsService } from './rubrics.service';

@Module({
  imports: [OrganizationsModule],
  controllers: [RubricsController],
  providers: [RubricRepository, RubricsService, RubricArrivalsRepository, RubricArrivals],
  exports: [RubricsService, RubricArrivals],
})
export class RubricsModule {}
