import type { DynamicModule, INestApplicationContext, LoggerService, ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type AppOptions, groundModules } from '../app.ground';
import type { Config } from '../infrastructure/config';

/** Rooms that a command loads beside the platform: none, organizations with members and keys, or every room. */
export type Rooms = 'none' | 'institution' | 'every';

type Imports = NonNullable<ModuleMetadata['imports']>;

class CommandModule {}

const OPTIONS: AppOptions = { schema: 'check', share: true };

/** Loaded on demand: loading every room takes two seconds of processor time. */
const ROOMS: Readonly<Record<Rooms, () => Promise<Imports>>> = {
  none: () => Promise.resolve([]),
  institution: async () => {
    const { AuthModule } = await import('../auth/index.js');
    const { OrganizationsModule } = await import('../organizations/index.js');
    const { AuditDoorModule } = await import('../audit/index.js');
    const { ReceiptsModule } = await import('../runs/receipts/index.js');
    return [
      OrganizationsModule,
      AuthModule,
      AuditDoorModule,
      ReceiptsModule,
      ...(await import('../app.infrastructure.js')).PLATFORM,
    ];
  },
  every: async () => [
    ...(await import('../app.module.js')).ROOMS,
    ...(await import('../app.infrastructure.js')).PLATFORM,
  ],
};

export async function createApplication(
  config: Config,
  rooms: Rooms,
  logger: LoggerService,
): Promise<INestApplicationContext> {
  const module: DynamicModule = {
    module: CommandModule,
    imports: [...groundModules(config, OPTIONS), ...(await ROOMS[rooms]())],
  };
  return NestFactory.createApplicationContext(module, { abortOnError: false, logger });
}
