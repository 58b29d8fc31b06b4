export { OllamaConnector } from './ollama.connector';
