import { Global, Module } from '@nestjs/common';
import { PUBLICATION_RULES } from '../../src/assistants';
import { OrganizationsModule } from '../../src/organizations';
import { PublicationGate } from './gate/publication-gate.service';
import { PublicationGateRepository } from './gate/publication-gate.repository';
import { TestResultRepository } from './test-runs/test-result.repository';
import { AssistantTestRepository } from './tests/assistant-test.repository';

/** Global, because the module of assistants cannot import this one. */
@Global()
@Module({
  imports: [OrganizationsModule],
  providers: [
    AssistantTestRepository,
    PublicationGate,
    PublicationGateRepository,
    TestResultRepository,
    { provide: PUBLICATION_RULES, useExisting: PublicationGate },
  ],
  exports: [
    AssistantTestRepository,
    PublicationGate,
    PublicationGateRepository,
    PUBLICATION_RULES,
    TestResultRepository,
  ],
})
export class PublicationRulesModule {}
