export type { MoodleSite } from './moodle-site';
export { MoodleModule } from './moodle.module';
export { MoodleProbe, MoodleService, type MoodleUserText, type ProbedMoodle } from './moodle.service';
export type { MoodleAssignment, MoodleCourse, MoodleIdentity } from './moodle.types';
