import { Global, Module } from '@nestjs/common';
import { AnsweringModule } from '../../src/answering';
import { AssistantsModule, PUBLICATION_RULES } from '../../src/assistants';
import { AuthModule } from '../../src/auth';
import { ConnectorsModule } from '../../src/connectors';
import { KnowledgeBasesModule } from '../../src/knowledge-bases';
import { OrganizationsModule } from '../../src/organizations';
import { RubricsModule } from '../../src/rubrics';
import { RunsModule } from '../../src/runs';
import { RunsApiModule } from '../../src/runs-api';
import { ExpectationCatalogue } from './expectations/expectation-catalogue';
import { ExpectationRunner } from './expectations/expectation-runner.service';
import { ExpectationsController } from './expectations/expectations.controller';
import { PublicationGateRepository } from './gate/publication-gate.repository';
import { PublicationGate, PublicationGates } from './gate/publication-gate.service';
import { PublicationGatesController } from './gate/publication-gates.controller';
import { EvaluationService } from './judgements/evaluation.service';
import { JudgementRepository } from './judgements/judgement.repository';
import { JudgementsController } from './judgements/judgements.controller';
import { JudgementsService } from './judgements/judgements.service';
import { RunReplaysController } from './replays/run-replays.controller';
import { RunReplays } from './replays/run-replays.service';
import { TestAsking } from './test-runs/asking.service';
import { OperatorTests } from './test-runs/operator-tests.service';
import { TestDiffs } from './test-runs/test-diffs.service';
import { TestResultRepository } from './test-runs/test-result.repository';
import { TestRunWorker } from './test-runs/test-run-worker.service';
import { TestRunRepository, TestedAssistantRepository } from './test-runs/test-run.repository';
import { TestRunsController } from './test-runs/test-runs.controller';
import { TestRuns } from './test-runs/test-runs.service';
import { AssistantTestRepository } from './tests/assistant-test.repository';
import { AssistantTestsController } from './tests/assistant-tests.controller';
import { AssistantTests, RubricAccessCheck } from './tests/assistant-tests.service';
import { TestProposals } from './tests/test-proposals.service';
import { ReplayWorker } from './what-if/replay-worker.service';
import { ReplayRepository } from './what-if/replay.repository';
import { WhatIfController } from './what-if/what-if.controller';
import { ComparedRuns, WhatIf } from './what-if/what-if.service';

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

@Module({
  imports: [
    AnsweringModule,
    AssistantsModule,
    AuthModule,
    ConnectorsModule,
    KnowledgeBasesModule,
    OrganizationsModule,
    PublicationRulesModule,
    RubricsModule,
    RunsApiModule,
    RunsModule,
  ],
  controllers: [
    ExpectationsController,
    AssistantTestsController,
    TestRunsController,
    PublicationGatesController,
    RunReplaysController,
    WhatIfController,
    JudgementsController,
  ],
  providers: [
    AssistantTests,
    ComparedRuns,
    EvaluationService,
    ExpectationRunner,
    ExpectationCatalogue,
    JudgementRepository,
    JudgementsService,
    OperatorTests,
    PublicationGates,
    ReplayRepository,
    ReplayWorker,
    RubricAccessCheck,
    RunReplays,
    TestAsking,
    TestDiffs,
    TestProposals,
    TestRunRepository,
    TestRunWorker,
    TestRuns,
    TestedAssistantRepository,
    WhatIf,
  ],
})
export class AssistantTestsModule {}
