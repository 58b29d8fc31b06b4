import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../infrastructure/http';
import type { StrategyDefinition } from './contract';
import { type OrchestratorDto, OrchestratorListDto } from './orchestrator.dto';
import { StrategyCatalogue } from './strategy-catalogue';

@ApiTags('Catalogues')
@Controller('api/v1/orchestrators')
export class OrchestratorsController {
  constructor(private readonly strategies: StrategyCatalogue) {}

  @Get()
  @Access({ scope: 'read', summary: 'Strategies of multi-tool assistants' })
  list(): OrchestratorListDto {
    return { orchestrators: this.strategies.definitions().map(present) };
  }
}

const present = ({
  texts = {},
  recommended = false,
  reads,
  feature: _,
  ...definition
}: StrategyDefinition): OrchestratorDto => ({
  ...definition,
  texts,
  reads: [...reads],
  recommended,
});
