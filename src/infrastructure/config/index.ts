export { CONFIG, ConfigModule } from './config.module';
export * from './load-config';
export { EXTENSIONS, type Extension, type SecretKey } from './parsers';
