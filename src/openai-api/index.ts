export { OpenAiDoorModule } from './openai-door.module';
