export { OpenAiConnector } from './openai.connector';
