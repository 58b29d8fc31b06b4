import { Module } from '@nestjs/common';
import { OPTIONAL_PLUGINS, type Plugins } from '../infrastructure/plugins';
import { PlanningModule } from './planning';
import { ToolsModule } from '../tools';
import { STRATEGY_PLUGINS } from './catalog';
import { type OrchestratorStrategy, orchestratorToken, STRATEGIES } from './contract';
import { Orchestrator } from './orchestrator';
import { OrchestratorsController } from './orchestrators.controller';
import { SearchNotes } from './join-outcomes';
import { StrategyCatalogue } from './strategy-catalogue';

@Module({
  imports: [PlanningModule, ToolsModule],
  controllers: [OrchestratorsController],
  providers: [
    ...STRATEGY_PLUGINS.map(({ key, useClass }) => ({ provide: orchestratorToken(key), useClass })),
    {
      provide: STRATEGIES,
      useFactory: (plugins: Plugins, ...own: OrchestratorStrategy[]) =>
        new Map([
          ...own.map((strategy, index) => [STRATEGY_PLUGINS[index]?.key ?? '', strategy] as const),
          ...(plugins ?? []).flatMap(({ strategies }) =>
            strategies.map((each) => [each.definition.name, each] as const),
          ),
        ]),
      inject: [OPTIONAL_PLUGINS, ...STRATEGY_PLUGINS.map(({ key }) => orchestratorToken(key))],
    },
    StrategyCatalogue,
    Orchestrator,
    SearchNotes,
  ],
  exports: [StrategyCatalogue, Orchestrator],
})
export class OrchestratorsModule {}
