export { CourseRulesModule } from './course-rules.module';
export { LaunchFramesModule } from './launch-frames.module';
export { LtiModule } from './lti.module';
