import type { Command } from 'commander';
import type { Register } from '../../infrastructure/commands';
import type { OpenApiOptions } from './write-openapi';

/** Commands about the service itself. */
export function registerServiceCommands(program: Command, register: Register): void {
  register<OpenApiOptions>(
    program
      .command('openapi:write')
      .description('write the OpenAPI document')
      .option('--out <file>', 'where to', 'docs/reference/openapi.json'),
    async (config, options) => (await import('./write-openapi.js')).writeOpenApi(config, options),
  );
  register(
    program.command('keys:rotate-secrets').description('wrap stored secrets with the newest SECRETS_KEY'),
    async (config) => (await import('./rotate-secrets.js')).rotateSecrets(config),
  );
  register(
    program
      .command('doctor')
      .description(
        'check configuration, schema, database, clock, secrets, audit log, data directory, bucket and versions',
      ),
    async (config) => (await import('./examine.js')).examine(config),
  );
}
