import { Module } from '@nestjs/common';
import { FilesModule } from '../files';
import { KnowledgeBasesModule } from '../knowledge-bases';
import { RubricsModule } from '../rubrics';
import { TOOL_PLUGINS } from './catalog';
import { type Tool, TOOLS } from './contract';
import { ToolCatalogue } from './tool-catalogue';
import { ToolInvoker } from './tool-invoker';
import { ToolsController } from './tools.controller';
import { ToolsService } from './tools.service';

@Module({
  imports: [FilesModule, KnowledgeBasesModule, RubricsModule],
  controllers: [ToolsController],
  providers: [
    ...TOOL_PLUGINS,
    { provide: TOOLS, useFactory: (...tools: Tool[]) => tools, inject: [...TOOL_PLUGINS] },
    ToolCatalogue,
    ToolInvoker,
    ToolsService,
  ],
  exports: [ToolCatalogue, ToolInvoker, ToolsService],
})
export class ToolsModule {}
