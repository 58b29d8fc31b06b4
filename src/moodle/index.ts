export { MoodleProbe, type ProbedMoodle } from './moodle-probe.service';
export { MoodleModule } from './moodle.module';
export { MoodleService, type MoodleUserText } from './moodle.service';
export type { MoodleSite } from './moodle-site';
export type { MoodleAssignment, MoodleCourse, MoodleIdentity } from './moodle.types';
