import { type DynamicModule, Module } from '@nestjs/common';
import { migrations } from '../migrations';
import { AnsweringModule, AssistantCallsModule, RunExecutorModule } from './answering';
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
import { AuditModule } from './platform/audit';
import { CONFIG, type Config, ConfigModule } from './platform/config';
import { DatabaseModule, type SchemaOnOpen } from './platform/database';
import { IdempotencyModule } from './platform/idempotency';
import { JobsModule } from './platform/jobs';
import { OutboundModule } from './platform/outbound';
import { SecretsModule } from './platform/secrets';
import { SignalsModule } from './platform/signals';
import { ProcessorsModule } from './processors';
import { PromptTemplatesModule } from './prompt-templates';
import { RubricsModule } from './rubrics';
import { RunDoorModule } from './run-door';
import { RunsModule } from './runs';
import { ToolsModule } from './tools';
import { KnownMethodsModule, WebModule } from './web';

export interface AppOptions {
  /** What opening the database does to its schema. */
  readonly schema: SchemaOnOpen;
  /** Operator commands join the embedded database of a running server instead of refusing. */
  readonly share?: boolean;
}

const PLATFORM = [SecretsModule, OutboundModule, AuditModule, IdempotencyModule, JobsModule, SignalsModule];

/** The doors come first: routes are tried in this order, and most requests are completions. The UI takes what is left. */
const ROOMS = [
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
    return {
      module: AppModule,
      imports: [
        ConfigModule.of(config),
        DatabaseModule.forRootAsync({
          migrations,
          schema: options.schema,
          share: options.share ?? false,
          inject: [CONFIG],
          useFactory: ({ database }: Config) => database,
        }),
        ...ROOMS,
        ...PLATFORM,
      ],
    };
  }
}
