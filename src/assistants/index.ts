export { REFUSALS, type Refusal } from './assistant-tools/call-decision.types';
export { toolUse } from './assistant-tools/assistant-references';
export type { CallAnswer, CallQuestion } from './assistant-tools/call-targets';
export * from './assistant.types';
export { AssistantsModule } from './assistants.module';
export { AssistantsService } from './assistants.service';
export type { DefinitionInput } from './definition';
export * from './metadata';
export * from './run-job.types';
