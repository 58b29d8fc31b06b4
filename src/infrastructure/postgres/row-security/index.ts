export * from './enforce';
export * from './reach';
