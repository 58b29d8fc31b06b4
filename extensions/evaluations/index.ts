export { AssistantTestsModule } from './assistant-tests.module';
export { PublicationRulesModule } from './publication-rules.module';
