import { Module } from '@nestjs/common';
import { AnsweringModule } from '../../src/answering';
import { AssistantsModule } from '../../src/assistants';
import { AuthModule } from '../../src/auth';
import { ConnectorsModule } from '../../src/connectors';
import { KnowledgeBasesModule } from '../../src/knowledge-bases';
import { OrganizationsModule } from '../../src/organizations';
import { RubricsModule } from '../../src/rubrics';
import { RunsApiModule } from '../../src/runs-api';
import { RunsModule } from '../../src/runs';
import { ExpectationRunner } from './expectations/expectation-runner.service';
import { ExpectationCatalogue } from './expectations/expectation-catalogue';
import { ExpectationsController } from './expectations/expectations.controller';
import { PublicationGates } from './gate/publication-gate.service';
import { PublicationGatesController } from './gate/publication-gates.controller';
import { PublicationRulesModule } from './publication-rules.module';
import { EvaluationService } from './judgements/evaluation.service';
import { JudgementRepository } from './judgements/judgement.repository';
import { JudgementsController } from './judgements/judgements.controller';
import { JudgementsService } from './judgements/judgements.service';
import { OperatorTests } from './test-runs/operator-tests.service';
import { TestAsking } from './test-runs/asking.service';
import { TestDiffs } from './test-runs/test-diffs.service';
import { TestRunRepository } from './test-runs/test-run.repository';
import { TestRunWorker } from './test-runs/test-run-worker.service';
import { TestRuns } from './test-runs/test-runs.service';
import { TestRunsController } from './test-runs/test-runs.controller';
import { TestedAssistantRepository } from './test-runs/tested-assistants.repository';
import { AssistantTests } from './tests/assistant-tests.service';
import { AssistantTestsController } from './tests/assistant-tests.controller';
import { RubricAccessCheck } from './tests/rubric-access-check.service';
import { TestProposals } from './tests/test-proposals.service';
import { RunReplaysController } from './replays/run-replays.controller';
import { RunReplays } from './replays/run-replays.service';
import { ReplayWorker } from './what-if/replay-worker.service';
import { ReplayRepository } from './what-if/replay.repository';
import { WhatIfController } from './what-if/what-if.controller';
import { ComparedRuns, WhatIf } from './what-if/what-if.service';

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
