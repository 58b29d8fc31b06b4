export interface SentMessage {
  readonly role: string;
  /** Text as it is; other contents as JSON. */
  readonly text: string;
}

const DUMP = /^Messages:\n(\[[^]*\n\])\n\nBody:\n/;

/** The messages in an answer of the connector that asks no model; null while it is incomplete, or is only text. */
export function sentMessages(answer: string): readonly SentMessage[] | null {
  const list = DUMP.exec(answer)?.[1];
  if (list === undefined) return null;
  try {
    const messages: unknown = JSON.parse(list);
    return Array.isArray(messages) ? messages.map(messageOf) : null;
  } catch {
    return null;
  }
}

function messageOf(message: unknown): SentMessage {
  const { role, content, ...rest } = (message ?? {}) as { role?: unknown; content?: unknown };
  const more = Object.keys(rest).length === 0 ? '' : JSON.stringify(rest, null, 2);
  const text = typeof content === 'string' ? content : JSON.stringify(content ?? null, null, 2);
  return { role: typeof role === 'string' ? role : '?', text: more === '' ? text : `${text}\n${more}` };
}
