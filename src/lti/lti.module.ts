import { Module } from '@nestjs/common';
import { AssistantsModule } from '../assistants';
import { AuthModule } from '../auth';
import { OrganizationsModule } from '../organizations';
import { ActivityAssistants } from './courses/activity-assistants.service';
import { ActivityRepository } from './courses/activity.repository';
import { CourseRepository } from './courses/course.repository';
import { DeepLinkingController } from './deep-linking/deep-linking.controller';
import { SelectionRepository } from './deep-linking/selection.repository';
import { Selections } from './deep-linking/selections.service';
import { JwksController } from './keys/jwks.controller';
import { ToolKeyRepository } from './keys/tool-key.repository';
import { ToolKeys } from './keys/tool-keys.service';
import { LaunchAttemptRepository } from './launch/attempt.repository';
import { BrowserCookie } from './launch/browser-cookie';
import { HandoverRepository } from './launch/handover.repository';
import { LaunchController } from './launch/launch.controller';
import { Launches } from './launch/launch.service';
import { LaunchLogins } from './launch/login.service';
import { ActivityImport, LegacyActivities } from './legacy/legacy-activity.repository';
import { LaunchSessions } from './launch/launch-sessions.service';
import { LtiIdentityRepository } from './people/identity.repository';
import { LtiPeople } from './people/people.service';
import { PlatformKeys } from './platforms/platform-keys.service';
import { PlatformRepository } from './platforms/platform.repository';
import { Platforms } from './platforms/platforms.service';
import { PlatformsController } from './platforms/platforms.controller';
import { ToolAddresses } from './platforms/tool-addresses';
import { CourseServicesController } from './services/course-services.controller';
import { GradeRepository } from './services/grade.repository';
import { Grades } from './services/grades.service';
import { PlatformServices } from './services/platform-services';
import { Roster } from './services/roster.service';
import { TaughtRepository } from './services/taught.repository';

/** Courses of learning platforms (1EdTech LTI 1.3 and Advantage). */
@Module({
  imports: [AssistantsModule, AuthModule, OrganizationsModule],
  controllers: [CourseServicesController, DeepLinkingController, JwksController, LaunchController, PlatformsController],
  providers: [
    ActivityAssistants,
    ActivityImport,
    ActivityRepository,
    BrowserCookie,
    GradeRepository,
    Grades,
    CourseRepository,
    HandoverRepository,
    LaunchAttemptRepository,
    LaunchLogins,
    LaunchSessions,
    Launches,
    LegacyActivities,
    LtiIdentityRepository,
    LtiPeople,
    PlatformKeys,
    PlatformRepository,
    PlatformServices,
    Platforms,
    Roster,
    SelectionRepository,
    Selections,
    TaughtRepository,
    ToolAddresses,
    ToolKeyRepository,
    ToolKeys,
  ],
  exports: [ActivityImport],
})
export class LtiModule {}
