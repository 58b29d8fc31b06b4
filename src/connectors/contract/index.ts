export * from './connector.types';
