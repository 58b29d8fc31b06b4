export { CONFIG, ConfigModule } from './config.module';
export type { Config } from './config.types';
export {
  ConfigError,
  environmentVariables,
  keepPrivate,
  loadConfig,
  misspeltVariables,
  serviceVersion,
} from './load-config';
export { type Extension, EXTENSIONS, type SecretKey } from './parsers';
export type { Vendor, VendorConfig } from './vendor.types';
