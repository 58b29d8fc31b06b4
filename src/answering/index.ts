export { CLIENT_GONE, StreamsInFlight } from './admission/streams-in-flight';
export { CompletionOpening, CompletionSlots, running } from './admission/completion-opening.service';
export { type AdmittedQuestion, QUESTION_RULES, type QuestionRules } from './admission/question-rules.token';
export { AnsweringModule } from './answering.module';
export { AssistantCallsModule } from './assistant-calls.module';
export { BackgroundCompletions, type ReplayRequest } from './background-completions.service';
export { type BatchState, type NextRun, type RunBatch, RunBatches } from './run-batches.service';
export {
  type QuietAnswer,
  HeadlessCompletions,
  type QuietInput,
  type QuietPrompt,
  questionRequest,
} from './headless-completions.service';
export { UnrecordedPrompts } from './unrecorded-prompts.service';
export {
  type AnswerEvent,
  Backpressure,
  type Completion,
  type RecordedRun,
  type TellAnswer,
  joinedTexts,
} from './completion.types';
export { FAILED_FOR_ASKERS, knowledgeBasesIn, loggedForAskers, sourcesForAskers } from './asker-events';
export { forOutsiders, toldEvent, withoutReasoning } from './told-events';
export { logBrokenAnswer } from './engine/answer-failure';
export {
  AnswerPipeline,
  assistantIdOf,
  exactModelId,
  modelId,
  modelNotFound,
  readModelName,
  reportForAdministrator,
  reportForAsker,
} from './engine/answer-pipeline.service';
export {
  type ChatRequest,
  type ProgressMode,
  assistantIdIn,
  callerOf,
  CHAT_BODY,
  chatBodySchema,
  draftBodySchema,
  readChatRequest,
  readChatRequestWithModel,
} from './chat-request';
export { RunExecutorModule } from './run-executor.module';
