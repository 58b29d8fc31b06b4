export * from './assistant-ability.types';
export * from './compiled-tool.types';
export * from './function.types';
export * from './tool.errors';
export * from './tool.types';
export * from './tools.token';
