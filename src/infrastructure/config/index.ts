export { CONFIG, ConfigModule } from './config.module';
export type { Config } from './config.types';
export { ConfigError, environmentVariables, loadConfig, misspeltVariables } from './load-config';
export type { SecretKey } from './parsers';
export { keepPrivate } from './keep-private';
export { serviceVersion } from './service-version';
export type { Vendor, VendorConfig } from './vendor.types';
