export { CONFIG, ConfigModule } from './config.module';
export type { Config, Vendor, VendorConfig } from './config.types';
export * from './load-config';
export { EXTENSIONS, type Extension, type SecretKey } from './parsers';
