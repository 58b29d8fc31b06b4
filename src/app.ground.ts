import type { ModuleMetadata } from '@nestjs/common';
import type { Override } from './app.overrides';
import { migrations } from '../migrations';
import { CONFIG, type Config, ConfigModule } from './infrastructure/config';
import { DatabaseModule, type SchemaOnOpen } from './infrastructure/database';
import { MetricsModule } from './infrastructure/telemetry';
import { SecretsModule } from './infrastructure/secrets';

export interface AppOptions {
  /** Migrate, check or ignore the schema when the database is opened. */
  readonly schema: SchemaOnOpen;
  /** Operator commands join the embedded database of a running server instead of refusing. */
  readonly share?: boolean;
  /** Take the place of providers with the same token, in the module that has them. */
  readonly overrides?: readonly Override[];
}

export type Imports = NonNullable<ModuleMetadata['imports']>;

/** Configuration, metrics, database and secrets. */
export const groundModules = (config: Config, options: AppOptions): Imports => [
  ConfigModule.of(config),
  MetricsModule,
  DatabaseModule.forRootAsync({
    migrations,
    schema: options.schema,
    share: options.share ?? false,
    inject: [CONFIG],
    useFactory: ({ database }: Config) => database,
  }),
  SecretsModule,
];
