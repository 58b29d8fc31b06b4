export { AssistantIdPipe } from './access/assistant-id.pipe';
export { disclosureTo } from './access/assistant.permissions';
export * from './access/assistant.types';
export { toolUse } from './assistant-tools/assistant-references';
export { REFUSALS, type Refusal } from './assistant-tools/call-decision.types';
export type { CallReservation } from './assistant-tools/call-quotas';
export type { CallAnswer, CallQuestion } from './assistant-tools/call-targets';
export { AssistantsModule } from './assistants.module';
export { AssistantsService } from './assistants.service';
export { StaticChecks } from './checks/definition-checks';
export { DraftAssistants, type DraftInput } from './draft-assistants';
export { AssistantEditor } from './editing/assistant-editor';
export { UpdateAssistantDto } from './editing/assistant.dto';
export { PUBLICATION_RULES, type PublicationRules, type WantedPublication } from './editing/publication-rules.token';
export { AssistantHistory } from './assistant-history';
export { LinkedAssistantsModule } from './linked-assistants.module';
export { AssistantRewrites } from './rewriting/assistant-rewrites';
export * from './rewriting/metadata-migrator.token';
export * from './rewriting/rewriting.types';
export * from './run-job.types';
export { AssistantCompiler, assertFeatures, switchedOff } from './running/assistant-compiler';
export type { AssistantReference } from './running/assistant-names';
export {
  AssistantImport,
  type ImportedAssistant,
  ImportedAssistantChecks,
  type ImportedShares,
  ShareImport,
} from './assistant-import';
