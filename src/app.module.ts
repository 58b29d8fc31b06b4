import { type DynamicModule, Module } from '@nestjs/common';
import { AssistantTestsModule, PublicationRulesModule } from '../extensions/evaluations';
import { AnsweringModule, AssistantCallsModule, RunExecutorModule } from './answering';
import { type AppOptions, groundModules } from './app.ground';
import { INFRASTRUCTURE } from './app.infrastructure';
import { AssistantsModule, LinkedAssistantsModule } from './assistants';
import { AuditLogModule } from './audit';
import { AuthModule } from './auth';
import { ClassicModule } from './classic';
import { ConnectionsModule } from './health/connections';
import { ConnectorsModule } from './connectors';
import { ConversationsModule } from './chat';
import { DemoModule } from './assistants/demo';
import { FirstStepsModule } from './health/first-steps';
import { FilesModule } from './files';
import { HealthModule } from './health';
import { InsightsModule } from '../extensions/insights';
import { KnowledgeBasesModule } from './knowledge-bases';
import { LambImportModule } from '../extensions/lamb-import';
import { CourseRulesModule, LaunchFramesModule, LtiModule } from '../extensions/lti';
import { McpModule } from '../extensions/mcp';
import { MetadataMigratorModule, MigrationModule } from './migration';
import { MoodleModule } from './moodle';
import { MultiToolModule } from './multi-tool';
import { OpenAiApiModule } from './openai-api';
import { OrchestratorsModule } from './orchestrators';
import { OrganizationPartsModule, OrganizationsModule } from './organizations';
import type { Config } from './infrastructure/config';
import { PrivacyModule } from './privacy';
import { ProcessorsModule } from './processors';
import { PromptTemplatesModule } from './assistants/prompt-templates';
import { RecipesModule } from './assistants/recipes';
import { RubricsModule } from './rubrics';
import { RunsApiModule } from './runs-api';
import { RunsModule } from './runs';
import { ScimModule } from '../extensions/scim';
import { ToolsModule } from './tools';
import { UsageModule } from './usage';
import { KnownMethodsModule, WebModule } from './web-ui';

/** The APIs come first: routes are tried in this order, and most requests are completions. The UI takes what is left. */
export const MODULES = [
  OpenAiApiModule,
  RunsApiModule,
  ConversationsModule,
  LtiModule,
  LaunchFramesModule,
  CourseRulesModule,
  // Before organizations, whose settings have routes for any name.
  PrivacyModule,
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
  AssistantTestsModule,
  PublicationRulesModule,
  InsightsModule,
  LinkedAssistantsModule,
  PromptTemplatesModule,
  RecipesModule,
  AnsweringModule,
  AssistantCallsModule,
  RunExecutorModule,
  ClassicModule,
  MultiToolModule,
  MigrationModule,
  MetadataMigratorModule,
  LambImportModule,
  UsageModule,
  FirstStepsModule,
  AuditLogModule,
  ScimModule,
  ConnectionsModule,
  HealthModule,
  McpModule,
  DemoModule,
  OrganizationPartsModule,
  KnownMethodsModule,
  WebModule,
];

/** The one file that lists every module. */
@Module({})
export class AppModule {
  static of(config: Config, options: AppOptions): DynamicModule {
    return { module: AppModule, imports: [...groundModules(config, options), ...MODULES, ...INFRASTRUCTURE] };
  }
}
