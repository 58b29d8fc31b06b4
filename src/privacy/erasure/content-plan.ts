import { isJsonObject } from '@bellwether/kernel';
import type { ContentItem, ContentPlan, Unshared } from './erasure.types';

/** Content of one person, with the facts that decide its fate. */
export interface OwnedContent extends ContentItem {
  /** Other people use it. */
  readonly shared: boolean;
  /** Deleted before; only its rows are left. */
  readonly gone: boolean;
  /** Names by which definitions refer to it. */
  readonly names: readonly string[];
  /** JSON texts of an assistant that name other content. */
  readonly definition?: readonly string[];
}

/** Members of definitions that hold the id of an assistant: a number, which other members may hold as well. */
const ASSISTANT_MEMBERS: ReadonlySet<string> = new Set(['assistant_id']);

interface References {
  readonly texts: Set<string>;
  readonly assistants: Set<string>;
}

function collect(value: unknown, found: References, member = ''): void {
  if (typeof value === 'string' || typeof value === 'number') {
    if (ASSISTANT_MEMBERS.has(member)) found.assistants.add(String(value));
    else found.texts.add(String(value));
  } else if (Array.isArray(value)) for (const item of value) collect(item, found, member);
  else if (isJsonObject(value)) for (const [name, item] of Object.entries(value)) collect(item, found, name);
}

/** A text that is no JSON may be a list of collections. */
function collectText(text: string, found: References): void {
  try {
    collect(JSON.parse(text), found);
  } catch {
    for (const name of text.split(',')) found.texts.add(name.trim());
  }
}

/** Every text and number in JSON texts, such as names and ids of files. */
export function textsIn(definitions: readonly string[]): ReadonlySet<string> {
  const found: References = { texts: new Set(), assistants: new Set() };
  for (const text of definitions) collectText(text, found);
  return found.texts;
}

const isNamed = ({ type, names }: OwnedContent, { texts, assistants }: References): boolean =>
  names.some((name) => (type === 'assistants' ? assistants : texts).has(name));

/** Content that others use goes to the heir, with everything that handed-over assistants refer to. */
export function planContent(owned: readonly OwnedContent[], unshared: Unshared): ContentPlan {
  const live = owned.filter(({ gone }) => !gone);
  const kept = new Set(live.filter(({ shared }) => shared || unshared === 'hand_over'));
  const found: References = { texts: new Set(), assistants: new Set() };
  const read = new Set<OwnedContent>();
  for (let grew = true; grew;) {
    for (const item of kept) {
      if (read.has(item)) continue;
      read.add(item);
      for (const text of item.definition ?? []) collectText(text, found);
    }
    const named = live.filter((item) => !kept.has(item) && isNamed(item, found));
    for (const item of named) kept.add(item);
    grew = named.length > 0;
  }
  const itemOf = ({ type, id, name }: OwnedContent): ContentItem => ({ type, id, name });
  return {
    handOver: live.filter((item) => kept.has(item)).map(itemOf),
    delete: owned.filter((item) => !kept.has(item)).map(itemOf),
  };
}
