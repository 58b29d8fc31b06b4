export { CompletionFastPath } from './completion-fast-path';
export { OpenAiApiModule } from './openai-api.module';
