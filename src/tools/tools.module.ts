import { Module } from '@nestjs/common';
import { ConnectorsModule } from '../connectors';
import { FilesModule } from '../files';
import { OPTIONAL_PLUGINS, type Plugins, withPlugins } from '../infrastructure/plugins';
import { KnowledgeBasesModule } from '../knowledge-bases';
import { MoodleModule } from '../moodle';
import { OrganizationsModule } from '../organizations';
import { RubricsModule } from '../rubrics';
import { TOOL_PLUGINS } from './catalog';
import { FunctionCatalogue, ToolCatalogue } from './tool-catalogue';
import { FUNCTIONS, type FunctionPlugin, TOOLS, type Tool } from './contract';
import { FUNCTION_PLUGINS, McpProbe } from './functions';
import { FunctionInvoker } from './function-invoker';
import { ToolInvoker } from './tool-invoker';
import { ToolsController } from './tools.controller';
import { ToolsService } from './tools.service';
import { FunctionOffers } from './function-offers.service';
import { ToolStatistics } from './tool-statistics';
import { ToolStatsRepository } from './tool-stats.repository';
import { ToolMetrics } from './tool.metrics';

@Module({
  imports: [ConnectorsModule, FilesModule, KnowledgeBasesModule, MoodleModule, OrganizationsModule, RubricsModule],
  controllers: [ToolsController],
  providers: [
    ...TOOL_PLUGINS,
    {
      provide: TOOLS,
      useFactory: (plugins: Plugins, ...tools: Tool[]) => withPlugins('tools', tools, plugins),
      inject: [OPTIONAL_PLUGINS, ...TOOL_PLUGINS],
    },
    ...FUNCTION_PLUGINS,
    {
      provide: FUNCTIONS,
      useFactory: (plugins: Plugins, ...functions: FunctionPlugin[]) => withPlugins('functions', functions, plugins),
      inject: [OPTIONAL_PLUGINS, ...FUNCTION_PLUGINS],
    },
    McpProbe,
    ToolCatalogue,
    FunctionCatalogue,
    FunctionInvoker,
    FunctionOffers,
    ToolInvoker,
    ToolMetrics,
    ToolStatistics,
    ToolStatsRepository,
    ToolsService,
  ],
  exports: [
    McpProbe,
    ToolCatalogue,
    FunctionCatalogue,
    FunctionInvoker,
    FunctionOffers,
    ToolInvoker,
    ToolStatistics,
    ToolsService,
  ],
})
export class ToolsModule {}
