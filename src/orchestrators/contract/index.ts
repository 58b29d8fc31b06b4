export * from './strategy.types';
