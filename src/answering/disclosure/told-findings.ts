import { isJsonObject, type JsonObject } from '../../kernel';
import { redactText } from '../../runs';

/** Members with the check's own words: kinds of verdicts and names of placeholders. */
const OWN_WORDS: ReadonlySet<string> = new Set(['checked', 'kind', 'results']);
const OWN_WORD = /^[\w-]{1,64}$/;
/** Members that quote the answer. */
const STATEMENTS: ReadonlySet<string> = new Set(['statement', 'claim']);
const MAX_DEPTH = 4;
const MAX_ITEMS = 100;

interface Told {
  /** The answer in one line. */
  readonly answer: string;
  readonly secrets: readonly string[];
}

/**
 * The findings of a check that every reader of the answer may see: figures, kinds of verdicts, and statements from the
 * answer. Reasons and quotations reveal results of tools, so they are in the report only.
 */
export function toldFindings(content: string, answer: string, secrets: readonly string[]): JsonObject {
  const found = jsonOf(content);
  return isJsonObject(found) ? membersOf(found, { answer: oneLine(answer), secrets }, 0) : {};
}

function jsonOf(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    // A verdict in prose is for the report only.
    return null;
  }
}

function membersOf(object: JsonObject, told: Told, depth: number): JsonObject {
  const members: [string, unknown][] = [];
  for (const [name, value] of Object.entries(object)) {
    const shown = valueOf(name, value, told, depth);
    if (shown !== undefined) members.push([name, shown]);
  }
  return Object.fromEntries(members);
}

function valueOf(name: string, value: unknown, told: Told, depth: number): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'string') return textOf(name, value, told);
  if (depth >= MAX_DEPTH) return undefined;
  if (Array.isArray(value))
    return value
      .slice(0, MAX_ITEMS)
      .map((item: unknown) => valueOf(name, item, told, depth + 1))
      .filter((item) => item !== undefined);
  return isJsonObject(value) ? membersOf(value, told, depth + 1) : undefined;
}

function textOf(name: string, text: string, { answer, secrets }: Told): string | undefined {
  const isTold = OWN_WORDS.has(name) ? OWN_WORD.test(text) : STATEMENTS.has(name) && answer.includes(oneLine(text));
  return isTold ? redactText(text, secrets) : undefined;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase();
