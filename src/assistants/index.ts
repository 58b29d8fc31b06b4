export * from './assistant.types';
export { AssistantsModule } from './assistants.module';
export { AssistantsService } from './assistants.service';
export type { DefinitionInput } from './definition';
export * from './metadata';
export * from './run-job.types';
