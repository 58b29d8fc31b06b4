import { uuidv7 } from '../../kernel';
import type { ModelRequest } from '../contract';
import type { AnswerHead } from '../shapes';

export const headOf = (request: ModelRequest): AnswerHead => ({
  id: `chatcmpl-${uuidv7()}`,
  created: Math.floor(Date.now() / 1000),
  model: request.model,
});
