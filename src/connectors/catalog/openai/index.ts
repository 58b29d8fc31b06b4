export { OPENAI } from './openai.connector';
