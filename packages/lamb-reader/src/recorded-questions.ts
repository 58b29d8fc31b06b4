import { AppError, isJsonObject } from '@bellwether/kernel';
import type { Database } from 'node-sqlite3-wasm';
import { quoted } from './source-rows';
import { findSchema, withSqliteFile } from './sqlite-file';

const PER_ASSISTANT = 5;
const QUESTION_CHARS = 4_000;
const CHATS = 'lamb_chats';

/** The first question of a conversation in LAMB. */
export interface RecordedQuestion {
  readonly assistant: number;
  readonly text: string;
}

/**
 * First questions of the newest chats of each assistant, at most five each. These are words of students.
 * @throws {AppError} `validation_failed` when the database has no chats that name their assistant
 */
export function recordedQuestions(file: string): readonly RecordedQuestion[] {
  return withSqliteFile(file, (database) => {
    const { prefix } = findSchema(database);
    const table = prefix + CHATS;
    assertColumns(database, table);
    const found = new Map<number, Set<string>>();
    for (const row of chatsOf(database, table)) {
      const assistant = Number(row['assistant_id']);
      const question = firstQuestion(row['chat']);
      if (!Number.isSafeInteger(assistant) || question === null) continue;
      const known = found.get(assistant) ?? new Set();
      if (known.size < PER_ASSISTANT) known.add(question);
      found.set(assistant, known);
    }
    return [...found].flatMap(([assistant, texts]) => [...texts].map((text) => ({ assistant, text })));
  });
}

function assertColumns(database: Database, table: string): void {
  const columns = new Set(database.all(`PRAGMA table_info(${quoted(table)})`).map((row) => row['name']));
  if (columns.has('assistant_id') && columns.has('chat')) return;
  throw new AppError(
    'validation_failed',
    `The database has no chats that name their assistant (table ${table}); give --questions, or neither option`,
  );
}

function chatsOf(database: Database, table: string): readonly Record<string, unknown>[] {
  try {
    return database.all(`SELECT assistant_id, chat FROM ${quoted(table)} ORDER BY rowid DESC`);
  } catch (error) {
    throw new AppError('validation_failed', `The table ${table} cannot be read; give --questions instead`, {
      cause: error,
    });
  }
}

/** `{"history": {"messages": {id: {role, content, timestamp}}}}`: the oldest message of the user. */
function firstQuestion(chat: unknown): string | null {
  const messages = messagesOf(chat);
  const asked = messages.filter(({ role, content }) => role === 'user' && typeof content === 'string');
  const times = (message: Record<string, unknown>): number => Number(message['timestamp']) || 0;
  const [first] = asked.sort((one, other) => times(one) - times(other));
  const text = typeof first?.['content'] === 'string' ? first['content'].trim() : '';
  return text === '' || text.length > QUESTION_CHARS ? null : text.toWellFormed();
}

function messagesOf(chat: unknown): Record<string, unknown>[] {
  if (typeof chat !== 'string') return [];
  try {
    const parsed: unknown = JSON.parse(chat);
    const history = isJsonObject(parsed) ? parsed['history'] : null;
    const messages = isJsonObject(history) ? history['messages'] : null;
    return isJsonObject(messages) ? Object.values(messages).filter(isJsonObject) : [];
  } catch {
    return [];
  }
}
