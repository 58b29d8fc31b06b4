import type { DraftInput } from '../../assistants';
import { AppError, invalid, isAssistantId, isJsonObject, type JsonObject, type Problem } from '../../kernel';
import { readChatRequest } from './chat-request';

export interface DraftRequest {
  readonly draft: DraftInput;
  /** The rest of the body: that of a completion. */
  readonly chat: JsonObject;
}

/** `{definition, assistant_id?, messages, …}`. @throws `validation_failed` with every problem */
export function readDraftRequest(body: unknown): DraftRequest {
  const { definition, assistant_id: assistantId = null, ...chat }: JsonObject = isJsonObject(body) ? body : {};
  const problems: Problem[] = [];
  if (!isJsonObject(definition)) problems.push({ path: 'definition', message: 'must be an object' });
  if (assistantId !== null && !isAssistantId(assistantId))
    problems.push({ path: 'assistant_id', message: 'must be the id of an assistant' });
  try {
    readChatRequest(chat);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw invalid([...problems, ...error.problems], error.detail);
  }
  if (problems.length > 0 || (assistantId !== null && !isAssistantId(assistantId))) throw invalid(problems);
  return { draft: { assistantId, definition }, chat };
}

/** Moves the paths of a refused definition to its place in the body. @throws the error with these paths */
export function inDefinition(error: unknown): never {
  if (!(error instanceof AppError) || error.problems.length === 0) throw error;
  const problems = error.problems.map(({ path, ...problem }) => ({
    ...problem,
    path: path === '' ? 'definition' : `definition.${path}`,
  }));
  throw new AppError(error.code, error.detail, { problems });
}
