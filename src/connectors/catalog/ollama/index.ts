export { OLLAMA } from './ollama.connector';
