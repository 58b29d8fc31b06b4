export * from './processor.types';
export * from './processors.token';
