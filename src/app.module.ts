import { type DynamicModule, Module } from '@nestjs/common';
import { loadExtensions } from '../extensions';
import { AnsweringModule, AssistantCallsModule, RunExecutorModule } from './answering';
import { type AppOptions, groundModules, type Imports } from './app.ground';
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
import { KnowledgeBasesModule } from './knowledge-bases';
import { MetadataMigratorModule, MigrationModule } from './migration';
import { MoodleModule } from './moodle';
import { MultiToolModule } from './multi-tool';
import { OpenAiApiModule } from './openai-api';
import { OrchestratorsModule } from './orchestrators';
import { PluginsModule } from './infrastructure/plugins';
import { OrganizationPartsModule, OrganizationsModule } from './organizations';
import type { Config } from './infrastructure/config';
import { PrivacyModule } from './privacy';
import { ProcessorsModule } from './processors';
import { PromptTemplatesModule } from './assistants/prompt-templates';
import { RecipesModule } from './assistants/recipes';
import { RubricsModule } from './rubrics';
import { RunsApiModule } from './runs-api';
import { RunsModule } from './runs';
import { ToolsModule } from './tools';
import { UsageModule } from './usage';
import { KnownMethodsModule, WebModule } from './web-ui';

/**
 * The modules of the core and of the extensions that are on. The APIs come first: routes are tried in this order, and
 * most requests are completions. The UI takes what is left.
 */
export async function modulesOf(config: Config): Promise<Imports> {
  const extension = await loadExtensions(config.extensions);
  return [
    PluginsModule.of(config.plugins),
    OpenAiApiModule,
    RunsApiModule,
    ConversationsModule,
    ...extension('lti'),
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
    ...extension('evaluations'),
    ...extension('insights'),
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
    ...extension('lamb-import'),
    UsageModule,
    FirstStepsModule,
    AuditLogModule,
    ...extension('scim'),
    ...extension('join'),
    ConnectionsModule,
    HealthModule,
    ...extension('mcp'),
    DemoModule,
    OrganizationPartsModule,
    KnownMethodsModule,
    WebModule,
  ];
}

/** The one file that lists every module. */
@Module({})
export class AppModule {
  static async of(config: Config, options: AppOptions): Promise<DynamicModule> {
    const imports = [...groundModules(config, options), ...(await modulesOf(config)), ...INFRASTRUCTURE];
    return { module: AppModule, imports };
  }
}
