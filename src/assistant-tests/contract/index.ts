export * from './expectation.types';
export { normalized } from './normalized';
export { passedIf } from './outcome';
