import { Global, Module } from '@nestjs/common';
import { LINKED_ASSISTANTS } from '../files';
import { OrganizationsModule } from '../organizations';
import { SignedLinkCheck } from './signed-link-check';
import { AssistantRepository } from './storage/assistant.repository';

/** Answers the lower rooms that open signed links. Global, because they cannot import this room. */
@Global()
@Module({
  imports: [OrganizationsModule],
  providers: [AssistantRepository, { provide: LINKED_ASSISTANTS, useClass: SignedLinkCheck }],
  exports: [LINKED_ASSISTANTS],
})
export class LinkedAssistantsModule {}
