import { Module } from '@nestjs/common';
import { AssistantsModule } from '../assistants';
import { AuthModule } from '../auth';
import { OrganizationsModule } from '../organizations';
import { BridgeController } from './bridge/door/bridge.controller';
import { BridgeLaunches } from './bridge/door/bridge-launches.service';
import { NonceRepository } from './bridge/oauth/nonce.repository';
import { BridgeKeys } from './bridge/settings/bridge-keys.service';
import { BridgeSettings } from './bridge/settings/bridge-settings.service';
import { BridgeSettingsController } from './bridge/settings/bridge-settings.controller';
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
import { BridgeKeyImport } from './legacy/bridge-key-import.repository';
import { BridgeRepository } from './legacy/bridge.repository';
import { BridgeSecrets } from './legacy/bridge-secrets.service';
import { BridgedActivityRepository } from './legacy/bridged-activity.repository';
import { ActivityImport, LegacyActivities } from './legacy/legacy-activity.repository';
import { LegacyLinks } from './legacy/legacy-links.service';
import { LegacyPeople, LegacyPersonImport } from './legacy/legacy-people.repository';
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
  controllers: [
    BridgeController,
    BridgeSettingsController,
    CourseServicesController,
    DeepLinkingController,
    JwksController,
    LaunchController,
    PlatformsController,
  ],
  providers: [
    ActivityAssistants,
    ActivityImport,
    ActivityRepository,
    BridgeKeyImport,
    BridgeKeys,
    BridgeLaunches,
    BridgeRepository,
    BridgeSecrets,
    BridgeSettings,
    BridgedActivityRepository,
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
    LegacyLinks,
    LegacyPeople,
    LegacyPersonImport,
    LtiIdentityRepository,
    LtiPeople,
    NonceRepository,
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
  exports: [ActivityImport, BridgeKeyImport, BridgeRepository, LegacyPersonImport],
})
export class LtiModule {}
