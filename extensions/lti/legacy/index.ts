export { BridgeKeyImport, type ImportedKey } from './bridge-key-import.repository';
export { ActivityImport, type ImportedActivity } from './legacy-activity.repository';
export { type ImportedPerson, LegacyPersonImport } from './legacy-people.repository';
export { LegacyModule } from './legacy.module';
