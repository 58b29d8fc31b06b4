import { type DynamicModule, Module } from '@nestjs/common';
import { AnsweringModule, AssistantCallsModule, RunExecutorModule } from './answering';
import { type AppOptions, groundModules } from './app.ground';
import { PLATFORM } from './app.platform';
import { AssistantsModule, LinkedAssistantsModule } from './assistants';
import { AuthModule } from './auth';
import { ClassicModule } from './classic';
import { ConnectorsModule } from './connectors';
import { DemoModule } from './demo';
import { FilesModule } from './files';
import { HealthModule } from './health';
import { KnowledgeBasesModule } from './knowledge-bases';
import { LambImportModule } from './lamb-import';
import { McpModule } from './mcp';
import { MetadataMigratorModule, MigrationModule } from './migration';
import { MoodleModule } from './moodle';
import { MultiToolModule } from './multi-tool';
import { OpenAiDoorModule } from './openai-door';
import { OrchestratorsModule } from './orchestrators';
import { OrganizationsModule } from './organizations';
import type { Config } from './platform/config';
import { ProcessorsModule } from './processors';
import { PromptTemplatesModule } from './prompt-templates';
import { RubricsModule } from './rubrics';
import { RunDoorModule } from './run-door';
import { RunsModule } from './runs';
import { ToolsModule } from './tools';
import { KnownMethodsModule, WebModule } from './web';

/** The doors come first: routes are tried in this order, and most requests are completions. The UI takes what is left. */
export const ROOMS = [
  OpenAiDoorModule,
  RunDoorModule,
  OrganizationsModule,
  AuthModule,
  FilesModule,
  ConnectorsModule,
  RunsModule,
  KnowledgeBasesModule,
  RubricsModule,
  MoodleModule,
  ToolsModule,
  ProcessorsModule,
  OrchestratorsModule,
  AssistantsModule,
  LinkedAssistantsModule,
  PromptTemplatesModule,
  AnsweringModule,
  AssistantCallsModule,
  RunExecutorModule,
  ClassicModule,
  MultiToolModule,
  MigrationModule,
  MetadataMigratorModule,
  LambImportModule,
  HealthModule,
  McpModule,
  DemoModule,
  KnownMethodsModule,
  WebModule,
];

/** The one file that lists every room. */
@Module({})
export class AppModule {
  static of(config: Config, options: AppOptions): DynamicModule {
    return { module: AppModule, imports: [...groundModules(config, options), ...ROOMS, ...PLATFORM] };
  }
}
