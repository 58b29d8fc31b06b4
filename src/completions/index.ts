export { AssistantAbilities, type AbilityFactory } from './assistant-abilities';
export type { ChatRequest } from './chat-request';
export type { Completion } from './completion.types';
export { CompletionsModule } from './completions.module';
export { isSwitchedOff } from './feature-switches';
export {
  questionRequest,
  type QuietAnswer,
  QuietAnswers,
  type QuietInput,
  type QuietPrompt,
} from './quiet-answers.service';
export { StreamsInFlight } from './streams-in-flight';
