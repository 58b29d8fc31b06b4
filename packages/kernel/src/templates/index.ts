export * from './automatic';
export * from './compile';
export * from './placeholder';
