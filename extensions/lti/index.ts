export { BridgeKeyImport, type ImportedKey } from './legacy/bridge-key-import.repository';
export { ActivityImport, type ImportedActivity } from './legacy/legacy-activity.repository';
export { type ImportedPerson, LegacyPersonImport } from './legacy/legacy-people.repository';
export { CourseRulesModule } from './course-rules.module';
export { LaunchFramesModule } from './launch-frames.module';
export { LtiModule } from './lti.module';
