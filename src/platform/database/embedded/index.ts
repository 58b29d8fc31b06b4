export * from './embedded-database';
