import { type DynamicModule, Module } from '@nestjs/common';
import { migrations } from '../migrations';
import { HealthModule } from './health';
import { CONFIG, type Config, ConfigModule } from './platform/config';
import { DatabaseModule, type SchemaOnOpen } from './platform/database';

export interface AppOptions {
  /** What opening the database does to its schema. */
  readonly schema: SchemaOnOpen;
  /** Operator commands join the embedded database of a running server instead of refusing. */
  readonly share?: boolean;
}

const ROOMS = [HealthModule];

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
      ],
    };
  }
}
