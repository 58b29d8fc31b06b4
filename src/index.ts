import 'reflect-metadata';
import type { PluginParts } from '@bellwether/plugin';
import type { Logger as Pino } from 'pino';
import { configOf } from './app.config';
import type { Override } from './app.overrides';
import type { Config, Environment } from './infrastructure/config';
import { createPino } from './infrastructure/telemetry';
import { type RunningService, serve } from './serve';

export { definePlugin, ToolFailure } from '@bellwether/plugin';
export { orchestratorToken } from './orchestrators';

/** How a program that embeds the service changes it. */
export interface EmbeddingOptions {
  /** Variables of `.env.example`; the process's own without it. */
  readonly env?: Environment;
  /** Plugins beside those of `BELLWETHER_PLUGINS`. */
  readonly plugins?: readonly PluginParts[];
  /** Providers of Nest that take the place of those with the same token, as `orchestratorToken('parallel')`. */
  readonly overrides?: readonly Override[];
  /** Logs to standard output without it. */
  readonly loggerOf?: (level: Config['log']['level']) => Pino;
}

/**
 * Builds the service, migrates its database and listens on `PORT`, as `npm start` does.
 * @throws ConfigError, PluginError and OperatorError, each with a message for the operator
 */
export async function createApp({
  env = process.env,
  plugins,
  overrides,
  loggerOf = createPino,
}: EmbeddingOptions = {}): Promise<RunningService> {
  const config = await configOf(env, plugins);
  return serve(config, loggerOf(config.log.level), overrides);
}
