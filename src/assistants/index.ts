export { REFUSALS, type Refusal } from './assistant-tools/call-decision.types';
export { toolUse } from './assistant-tools/assistant-references';
export type { CallAnswer, CallQuestion } from './assistant-tools/call-targets';
export * from './assistant.types';
export { AssistantsModule } from './assistants.module';
export { AssistantsService } from './assistants.service';
export type { DefinitionInput } from './definition';
export { StaticChecks } from './diagnostics/static-checks';
export * from './metadata';
export * from './metadata/migrate-definition';
export { AssistantRewrites } from './rewriting/assistant-rewrites';
export * from './rewriting/rewriting.types';
export { PromptTemplateArrivals } from './prompt-templates/prompt-template-arrivals';
export type { ArrivingPromptTemplate } from './prompt-templates/prompt-template-arrivals.repository';
export * from './run-job.types';
export {
  type ArrivingAssistant,
  type ArrivingShare,
  AssistantArrivals,
  type DatedAssistant,
} from './transfer/assistant-arrivals';
