import { entryProblems } from '@bellwether/plugin';
import { OperatorError } from '@bellwether/kernel';
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

/**
 * The strategies that are bound to our tokens, by key. An embedding program may have bound its own.
 * @throws OperatorError that names everything that is wrong with them
 */
export function boundStrategies(own: readonly OrchestratorStrategy[]): [string, OrchestratorStrategy][] {
  const bound = STRATEGY_PLUGINS.flatMap(({ key }, index): [string, OrchestratorStrategy][] => {
    const strategy = own[index];
    return strategy === undefined ? [] : [[key, strategy]];
  });
  const lines = bound.flatMap(([key, strategy]) =>
    entryProblems('strategies', strategy).map((text) => `  ${orchestratorToken(key)}: ${text}`),
  );
  if (lines.length > 0) throw new OperatorError(`The overrides cannot be used:\n${lines.join('\n')}`);
  return bound;
}

@Module({
  imports: [PlanningModule, ToolsModule],
  controllers: [OrchestratorsController],
  providers: [
    ...STRATEGY_PLUGINS.map(({ key, useClass }) => ({ provide: orchestratorToken(key), useClass })),
    {
      provide: STRATEGIES,
      useFactory: (plugins: Plugins, ...own: OrchestratorStrategy[]) =>
        new Map([
          ...boundStrategies(own),
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
