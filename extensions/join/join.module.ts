import { Module } from '@nestjs/common';
import { AssistantsModule } from '../../src/assistants';
import { AuthModule } from '../../src/auth';
import { OrganizationsModule } from '../../src/organizations';
import { JoinController } from './join.controller';
import { JoinLinkRepository } from './join-link.repository';
import { JoinLinksController } from './join-links.controller';
import { JoinLinks } from './join-links.service';
import { Joining, Newcomers } from './joining.service';

/** Links and codes by which a class gets in without an identity provider. */
@Module({
  imports: [AssistantsModule, AuthModule, OrganizationsModule],
  controllers: [JoinController, JoinLinksController],
  providers: [JoinLinkRepository, JoinLinks, Joining, Newcomers],
})
export class JoinModule {}
