import type { DynamicModule } from '@nestjs/common';
import type { Config } from './config.types';

/** Injection token of the frozen `Config`. */
export const CONFIG = Symbol('Config');

/** Without a decorator: `@nestjs/common` would take a third of the start of a command that reads the configuration. */
export class ConfigModule {
  static of(config: Config): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: CONFIG, useValue: config }],
      exports: [CONFIG],
    };
  }
}
