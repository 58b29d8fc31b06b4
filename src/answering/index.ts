export { CompletionOpening } from './admission/completion-opening.service';
export { CompletionPlaces } from './admission/completion-places.service';
export { type AdmittedQuestion, QUESTION_RULES, type QuestionRules } from './admission/question-rules.token';
export { running } from './admission/feature-switches';
export { StreamsInFlight } from './admission/streams-in-flight';
export { AnsweringModule } from './answering.module';
export { AssistantCallsModule } from './assistant-calls.module';
export { RunExecutorModule } from './run-executor.module';
export { BackgroundCompletions, type ReplayRequest } from './background/background-completions.service';
export { type BatchState, type NextRun, RunBatches, type RunBatch } from './batches/run-batches.service';
export type { RecordedRun } from './completion/recorded-run.types';
export {
  questionRequest,
  type QuietAnswer,
  QuietAnswers,
  type QuietInput,
  type QuietPrompt,
} from './calls/quiet-answers.service';
export { UnrecordedPrompts } from './calls/unrecorded-prompts.service';
export type { AnswerEvent } from './completion/answer-event.types';
export { Backpressure } from './completion/backpressure';
export type { Completion } from './completion/completion.types';
export { FAILED_FOR_ASKERS, knowledgeBasesIn, loggedForAskers, sourcesForAskers } from './disclosure/asker-events';
export { withoutReasoning } from './disclosure/plan-reasoning';
export { reportForAdministrator, reportForAsker } from './disclosure/run-report-view';
export { forOutsiders, toldEvents, toldProgress } from './disclosure/told-events';
export { logBrokenAnswer } from './engine/answer-failure';
export { AnswerPipeline } from './engine/answer-pipeline.service';
export { joinedTexts } from './completion/joined-texts';
export { assistantIdIn } from './request/assistant-id';
export { callerOf } from './request/caller-of';
export { chatBodySchema, draftBodySchema } from './request/chat-body.openapi';
export { type ChatRequest, readChatRequest, readChatRequestWithModel } from './request/chat-request';
export type { ProgressMode } from './request/chat-request.schema';
export { assistantIdOf, exactModelId, modelId, modelNotFound, readModelName } from './request/model-id';
