import {
  type DynamicModule,
  type FactoryProvider,
  Inject,
  Module,
  type ModuleMetadata,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseHealth } from './database-health';
import { DATABASE } from './database.token';
import type { DatabaseConfig } from '../postgres';
import { EmbeddedMaintenance } from './embedded-maintenance';
import { type OpenDatabase, openDatabase, type OpenOptions } from '../postgres';
import { Transactions } from './transactions';

export interface DatabaseModuleOptions extends OpenOptions {
  readonly imports?: ModuleMetadata['imports'];
  readonly inject?: FactoryProvider['inject'];
  readonly useFactory: (...injected: never[]) => DatabaseConfig | Promise<DatabaseConfig>;
}

/** Opens the database before other modules start and closes it after they stopped. */
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(DATABASE) private readonly database: OpenDatabase) {}

  static forRootAsync(options: DatabaseModuleOptions): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      imports: options.imports ?? [],
      providers: [
        {
          provide: DATABASE,
          inject: options.inject ?? [],
          useFactory: async (...injected: never[]) =>
            openDatabase(await options.useFactory(...injected), { ...options, bound: true }),
        },
        { provide: DataSource, inject: [DATABASE], useFactory: ({ dataSource }: OpenDatabase) => dataSource },
        Transactions,
        DatabaseHealth,
        EmbeddedMaintenance,
      ],
      exports: [DATABASE, DataSource, Transactions, DatabaseHealth],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
