export * from './expectation.types';
export { normalized } from './normalized';
export { passedIf } from './outcome';
export { textSchema } from './text-schema';
