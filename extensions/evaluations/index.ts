export { AssistantTestsModule } from './assistant-tests.module';
export { PublicationRulesModule } from './publication-rules.module';
export { type OperatorTestRun, OperatorTests } from './test-runs/operator-tests.service';
