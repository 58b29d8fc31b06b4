export * from './import.types';
export { LambImport } from './lamb-import.service';
export { LambImportModule } from './lamb-import.module';
