export * from './metadata.types';
export * from './normalise';
export * from './parse-metadata';
export * from './placeholders';
export * from './tool-entries';
export * from './v2-to-v3.step';
export * from './version';
