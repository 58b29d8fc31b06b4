import { Module } from '@nestjs/common';
import { RubricRepository } from './rubric.repository';
import { RubricsController } from './rubrics.controller';
import { RubricsService } from './rubrics.service';

@Module({
  controllers: [RubricsController],
  providers: [RubricRepository, RubricsService],
  exports: [RubricsService],
})
export class RubricsModule {}
