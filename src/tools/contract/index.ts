export * from './tool.types';
