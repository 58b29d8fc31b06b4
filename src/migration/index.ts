export { MigrationModule } from './migration.module';
