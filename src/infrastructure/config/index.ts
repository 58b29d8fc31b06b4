export type { Vendor } from '@bellwether/plugin';
export { CONFIG, ConfigModule } from './config.module';
export * from './load-config';
export { EXTENSIONS, type Extension, type SecretKey } from './parsers';
export type { Environment } from './settings';
