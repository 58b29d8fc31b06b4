export * from './assemble-messages';
export * from './chat';
export * from './search-facts';
export * from './sources';
