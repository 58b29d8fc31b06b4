import { Module } from '@nestjs/common';
import { ConnectorsModule } from '../connectors';
import { FilesModule } from '../files';
import { KnowledgeBasesModule } from '../knowledge-bases';
import { MoodleModule } from '../moodle';
import { OrganizationsModule } from '../organizations';
import { RubricsModule } from '../rubrics';
import { TOOL_PLUGINS } from './catalog';
import { type FunctionPlugin, FUNCTIONS, type Tool, TOOLS } from './contract';
import { FunctionCatalogue } from './catalogues/function-catalogue';
import { FunctionInvoker } from './invokers/function-invoker';
import { FunctionOffers } from './offers/function-offers.service';
import { FUNCTION_PLUGINS, McpProbe } from './functions';
import { ToolStatistics } from './statistics/tool-statistics';
import { ToolMetrics } from './statistics/tool.metrics';
import { ToolStatsRepository } from './statistics/tool-stats.repository';
import { ToolCatalogue } from './catalogues/tool-catalogue';
import { ToolInvoker } from './invokers/tool-invoker';
import { ToolsController } from './listing/tools.controller';
import { ToolsService } from './listing/tools.service';

@Module({
  imports: [ConnectorsModule, FilesModule, KnowledgeBasesModule, MoodleModule, OrganizationsModule, RubricsModule],
  controllers: [ToolsController],
  providers: [
    ...TOOL_PLUGINS,
    { provide: TOOLS, useFactory: (...tools: Tool[]) => tools, inject: [...TOOL_PLUGINS] },
    ...FUNCTION_PLUGINS,
    { provide: FUNCTIONS, useFactory: (...plugins: FunctionPlugin[]) => plugins, inject: [...FUNCTION_PLUGINS] },
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
