import { Global, Module } from '@nestjs/common';
import { LINKED_ASSISTANTS } from '../files';
import { OrganizationsModule } from '../organizations';
import { AssistantLookup } from './access/assistant-lookup';
import { SignedLinkCheck } from './sharing/assistant-sharing';
import { AssistantRepository } from './storage/assistant.repository';

/** Global, because the modules that open signed links cannot import this one. */
@Global()
@Module({
  imports: [OrganizationsModule],
  providers: [AssistantRepository, AssistantLookup, { provide: LINKED_ASSISTANTS, useClass: SignedLinkCheck }],
  exports: [LINKED_ASSISTANTS],
})
export class LinkedAssistantsModule {}
