export * from './automatic';
export * from './compile';
export * from './placeholder';
export * from './template.types';
