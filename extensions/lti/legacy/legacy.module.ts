import { Global, Module } from '@nestjs/common';
import { OrganizationsModule } from '../../../src/organizations';
import { LtiIdentityRepository } from '../identity.repository';
import { FORMER_LINKS } from '../launch/former-links.token';
import { LtiModule } from '../lti.module';
import { BridgeKeyImport } from './bridge-key-import.repository';
import { BridgeLaunches } from './bridge-launches.service';
import { BridgeSecrets } from './bridge-secrets.service';
import { BridgeController } from './bridge.controller';
import { BridgeRepository } from './bridge.repository';
import { BridgedActivityRepository } from './bridged-activity.repository';
import { ActivityImport } from './legacy-activity.repository';
import { LegacyLinks } from './legacy-links.service';
import { LegacyPeople, LegacyPersonImport } from './legacy-people.repository';
import { NonceRepository } from './nonce.repository';
import { BridgeKeys } from './settings/bridge-keys.service';
import { BridgeSettingsController } from './settings/bridge-settings.controller';
import { BridgeSettings } from './settings/bridge-settings.service';

/** Global, because launches of LTI 1.3 cannot import this one. */
@Global()
@Module({
  imports: [OrganizationsModule],
  providers: [
    BridgeRepository,
    BridgeSecrets,
    BridgedActivityRepository,
    LegacyLinks,
    LegacyPeople,
    LtiIdentityRepository,
    { provide: FORMER_LINKS, useExisting: LegacyLinks },
  ],
  exports: [BridgeRepository, BridgeSecrets, FORMER_LINKS, LegacyLinks],
})
class FormerLinksModule {}

/**
 * LTI 1.1 and the links of LAMB, until `LTI_11_ENDS`. LTI 1.3 works without this folder; ADR-0020 names what else goes
 * with it.
 */
@Module({
  imports: [FormerLinksModule, LtiModule, OrganizationsModule],
  controllers: [BridgeController, BridgeSettingsController],
  providers: [
    ActivityImport,
    BridgeKeyImport,
    BridgeKeys,
    BridgeLaunches,
    BridgeSettings,
    LegacyPersonImport,
    NonceRepository,
  ],
  exports: [ActivityImport, BridgeKeyImport, LegacyPersonImport],
})
export class LegacyModule {}
