import { Global, Module } from '@nestjs/common';
import { QUESTION_RULES } from '../../src/answering';
import { ActivityPeopleRepository } from './activities/activity-people.repository';
import { ActivityRulesRepository } from './activities/activity-rules.repository';
import { CourseRules } from './activities/course-rules.service';

/** Global, because the module that admits questions cannot import this one. */
@Global()
@Module({
  providers: [
    ActivityPeopleRepository,
    ActivityRulesRepository,
    CourseRules,
    { provide: QUESTION_RULES, useExisting: CourseRules },
  ],
  exports: [ActivityPeopleRepository, CourseRules, QUESTION_RULES],
})
export class CourseRulesModule {}
