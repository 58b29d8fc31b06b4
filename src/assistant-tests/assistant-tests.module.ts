import { Module } from '@nestjs/common';
import { AnsweringModule } from '../answering';
import { AssistantsModule } from '../assistants';
import { AuthModule } from '../auth';
import { ConnectorsModule } from '../connectors';
import { KnowledgeBasesModule } from '../knowledge-bases';
import { OrganizationsModule } from '../organizations';
import { RubricsModule } from '../rubrics';
import { RunDoorModule } from '../run-door';
import { RunsModule } from '../runs';
import { Checks } from './expectations/checks.service';
import { ExpectationCatalogue } from './expectations/expectation-catalogue';
import { ExpectationsController } from './expectations/expectations.controller';
import { PublicationGates } from './gate/publication-gates.service';
import { PublicationGatesController } from './gate/publication-gates.controller';
import { PublicationRulesModule } from './publication-rules.module';
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
import { RubricReach } from './tests/rubric-reach.service';
import { TestProposals } from './tests/test-proposals.service';

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
    RunDoorModule,
    RunsModule,
  ],
  controllers: [ExpectationsController, AssistantTestsController, TestRunsController, PublicationGatesController],
  providers: [
    AssistantTests,
    Checks,
    ExpectationCatalogue,
    OperatorTests,
    PublicationGates,
    RubricReach,
    TestAsking,
    TestDiffs,
    TestProposals,
    TestRunRepository,
    TestRunWorker,
    TestRuns,
    TestedAssistantRepository,
  ],
  exports: [OperatorTests],
})
export class AssistantTestsModule {}
