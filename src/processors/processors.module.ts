import { Module } from '@nestjs/common';
import { FilesModule } from '../files';
import { OPTIONAL_PLUGINS, type Plugins, withPlugins } from '../infrastructure/plugins';
import { KnowledgeBasesModule } from '../knowledge-bases';
import { MoodleModule } from '../moodle';
import { RubricsModule } from '../rubrics';
import { PROMPT_PROCESSOR_PLUGINS, RAG_PROCESSOR_PLUGINS } from './catalog';
import { PROMPT_PROCESSORS, type PromptProcessor, RAG_PROCESSORS, type RagProcessor } from './contract';
import { ProcessorCatalogue } from './processor-catalogue';
import { ProcessorsController } from './processors.controller';

@Module({
  imports: [FilesModule, KnowledgeBasesModule, MoodleModule, RubricsModule],
  controllers: [ProcessorsController],
  providers: [
    ...PROMPT_PROCESSOR_PLUGINS,
    ...RAG_PROCESSOR_PLUGINS,
    {
      provide: PROMPT_PROCESSORS,
      useFactory: (plugins: Plugins, ...own: PromptProcessor[]) => withPlugins('promptProcessors', own, plugins),
      inject: [OPTIONAL_PLUGINS, ...PROMPT_PROCESSOR_PLUGINS],
    },
    {
      provide: RAG_PROCESSORS,
      useFactory: (plugins: Plugins, ...own: RagProcessor[]) => withPlugins('ragProcessors', own, plugins),
      inject: [OPTIONAL_PLUGINS, ...RAG_PROCESSOR_PLUGINS],
    },
    ProcessorCatalogue,
  ],
  exports: [ProcessorCatalogue],
})
export class ProcessorsModule {}
