export { CONFIG, ConfigModule } from './config.module';
export type { Config } from './config.types';
export { envExample } from './env-example';
export { ConfigError, loadConfig } from './load-config';
export type { SecretKey } from './parsers';
