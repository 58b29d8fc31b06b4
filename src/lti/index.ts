export { ActivityImport, type ImportedActivity } from './legacy/legacy-activity.repository';
export { LaunchFramesModule } from './launch-frames.module';
export { LtiModule } from './lti.module';
