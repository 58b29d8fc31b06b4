export { GeminiApi } from './gemini-api';
export { geminiRequest } from './gemini-request';
export { partsOf } from './gemini-contents';
