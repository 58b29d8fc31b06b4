import { Module } from '@nestjs/common';
import { AuthModule } from '../../src/auth';
import { OrganizationsModule } from '../../src/organizations';
import { DiscoveryController } from './discovery.controller';
import { ScimGroupsController } from './scim-groups.controller';
import { ScimGroups } from './scim-groups.service';
import { ScimTokensController } from './scim-tokens.controller';
import { ScimAddress } from './protocol/scim-address.service';
import { ScimUserRepository } from './users/scim-user.repository';
import { ScimUsersController } from './users/scim-users.controller';
import { ScimUsers } from './users/scim-users.service';

@Module({
  imports: [AuthModule, OrganizationsModule],
  controllers: [DiscoveryController, ScimUsersController, ScimGroupsController, ScimTokensController],
  providers: [ScimAddress, ScimUserRepository, ScimUsers, ScimGroups],
})
export class ScimModule {}
