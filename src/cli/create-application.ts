import type { DynamicModule, INestApplicationContext, LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type AppOptions, groundModules, type Imports } from '../app.ground';
import type { Config } from '../infrastructure/config';

/** Modules that a command loads beside the infrastructure: none, organizations with members and keys, or all. */
export type Modules = 'none' | 'institution' | 'every';

class CommandModule {}

const OPTIONS: AppOptions = { schema: 'check', share: true };

/** Loaded on demand: loading all modules takes two seconds of processor time. */
const MODULES: Readonly<Record<Modules, (config: Config) => Promise<Imports>>> = {
  none: () => Promise.resolve([]),
  institution: async () => {
    const { AuthModule } = await import('../auth/index.js');
    const { OrganizationsModule } = await import('../organizations/index.js');
    const { AuditLogModule } = await import('../audit/index.js');
    const { ReceiptsModule } = await import('../runs/receipts/index.js');
    return [
      OrganizationsModule,
      AuthModule,
      AuditLogModule,
      ReceiptsModule,
      ...(await import('../app.infrastructure.js')).INFRASTRUCTURE,
    ];
  },
  every: async (config) => [
    ...(await (await import('../app.module.js')).modulesOf(config)),
    ...(await import('../app.infrastructure.js')).INFRASTRUCTURE,
  ],
};

export async function createApplication(
  config: Config,
  modules: Modules,
  logger: LoggerService,
): Promise<INestApplicationContext> {
  const module: DynamicModule = {
    module: CommandModule,
    imports: [...groundModules(config, OPTIONS), ...(await MODULES[modules](config))],
  };
  return NestFactory.createApplicationContext(module, { abortOnError: false, logger });
}
