export { AssistantTestsModule, PublicationRulesModule } from './assistant-tests.module';
