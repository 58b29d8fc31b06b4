import type { DynamicModule } from '@nestjs/common';
import type { Config } from './load-config';

/** Injection token of the frozen `Config`. */
export const CONFIG = Symbol('Config');

/** Has no decorator: loading `@nestjs/common` would take a third of the start of a `db:` command. */
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
