import { Module } from '@nestjs/common';
import { AnsweringModule } from '../../src/answering';
import { AssistantsModule } from '../../src/assistants';
import { AuthModule } from '../../src/auth';
import { ConversationsModule } from '../../src/chat';
import { OrganizationsModule } from '../../src/organizations';
import { ActivitiesController } from './activities/activities.controller';
import { Activities } from './activities/activities.service';
import { ActivityAssistants } from './courses/activity-assistants.service';
import { ActivityRepository } from './courses/activity.repository';
import { CourseRepository } from './courses/course.repository';
import { ActivitySettingsEditor } from './dashboard/activity-settings.service';
import { CourseUse } from './dashboard/course-use.service';
import { CoursesController } from './dashboard/courses.controller';
import { ReadableConversations } from './dashboard/readable-conversations.service';
import { TaughtActivitiesController } from './dashboard/taught-activities.controller';
import { TaughtCourses } from './dashboard/taught-courses.service';
import { AssistantTrials } from './dashboard/assistant-trials.service';
import { DeepLinkingController } from './deep-linking/deep-linking.controller';
import { SelectionRepository } from './deep-linking/selection.repository';
import { Selections } from './deep-linking/selections.service';
import { JwksController } from './jwks.controller';
import { ToolKeyRepository } from './tool-key.repository';
import { ToolKeys } from './tool-keys.service';
import { LaunchAttemptRepository } from './launch/launch-attempt.repository';
import { BrowserCookie } from './launch/browser-cookie';
import { LaunchTicketRepository } from './launch/launch-ticket.repository';
import { LaunchSessions } from './launch/launch-sessions.service';
import { LaunchController } from './launch/launch.controller';
import { Launches } from './launch/launch.service';
import { LaunchLogins } from './launch/login.service';
import { LtiIdentityRepository } from './identity.repository';
import { LtiPeople } from './people.service';
import { PlatformRepository } from './platforms/platform.repository';
import { PlatformsController } from './platforms/platforms.controller';
import { PlatformKeys, Platforms, ToolAddresses } from './platforms/platforms.service';
import { RegistrationInvitationsController } from './registration/registration-invitations.controller';
import { RegistrationController } from './registration/registration.controller';
import { RegistrationRepository } from './registration/registration.repository';
import { Registrations } from './registration/registrations.service';
import { CourseServicesController } from './services/course-services.controller';
import { GradeRepository } from './services/grade.repository';
import { Grades } from './services/grades.service';
import { PlatformServices } from './services/platform-services';
import { Roster } from './services/roster.service';
import { TaughtRepository } from './services/taught.repository';

/** Courses of learning platforms (1EdTech LTI 1.3 and Advantage). */
@Module({
  imports: [AnsweringModule, AssistantsModule, AuthModule, ConversationsModule, OrganizationsModule],
  controllers: [
    ActivitiesController,
    CourseServicesController,
    CoursesController,
    DeepLinkingController,
    JwksController,
    LaunchController,
    PlatformsController,
    RegistrationController,
    RegistrationInvitationsController,
    TaughtActivitiesController,
  ],
  providers: [
    Activities,
    ActivityAssistants,
    ActivityRepository,
    ActivitySettingsEditor,
    BrowserCookie,
    GradeRepository,
    Grades,
    CourseRepository,
    CourseUse,
    LaunchTicketRepository,
    LaunchAttemptRepository,
    LaunchLogins,
    LaunchSessions,
    Launches,
    LtiIdentityRepository,
    LtiPeople,
    PlatformKeys,
    PlatformRepository,
    PlatformServices,
    Platforms,
    ReadableConversations,
    RegistrationRepository,
    Registrations,
    Roster,
    SelectionRepository,
    Selections,
    TaughtCourses,
    TaughtRepository,
    ToolAddresses,
    ToolKeyRepository,
    ToolKeys,
    AssistantTrials,
  ],
  exports: [ActivityAssistants, BrowserCookie, LaunchSessions, Launches, LtiPeople, PlatformRepository, ToolAddresses],
})
export class LtiModule {}
