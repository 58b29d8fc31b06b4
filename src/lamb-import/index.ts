export { LambImportModule } from './lamb-import.module';
