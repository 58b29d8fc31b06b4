export { OpenAiApiModule } from './openai-api.module';
