import { isJsonObject } from '../../../kernel';

export const ERASED = '[erased]';

/**
 * Members of an entry about a person that do not say who the person is. An erasure replaces every other text, so a new
 * member is erased until somebody lists it here.
 */
const KEPT_MEMBERS: ReadonlySet<string> = new Set([
  'role',
  'language',
  'source',
  'issuer',
  'lti_platform',
  'joined',
  'left',
  'erasure',
  'heir',
  'unshared',
]);

/** Content of an entry about a person without what describes the person, whatever it says. */
export function withoutPerson(content: unknown): unknown {
  if (typeof content === 'string') return ERASED;
  if (Array.isArray(content)) return content.map(withoutPerson);
  if (!isJsonObject(content)) return content;
  return Object.fromEntries(
    Object.entries(content).map(([name, member]) => [name, KEPT_MEMBERS.has(name) ? member : withoutPerson(member)]),
  );
}

/**
 * Replaces the given values in texts of any depth, whatever their case. An e-mail address is also replaced inside a
 * longer text; a name only where it is the whole text: "An" is part of many words.
 */
export function valueEraser(values: readonly string[]): (content: unknown) => unknown {
  const whole = new Set(values.map((value) => value.toLowerCase()));
  const inside = values.filter((value) => value.includes('@')).map((value) => value.toLowerCase());
  const erasedText = (text: string): string => {
    if (whole.has(text.toLowerCase())) return ERASED;
    return inside.reduce((left, value) => replaceAll(left, value), text);
  };
  const erased = (content: unknown): unknown => {
    if (typeof content === 'string') return erasedText(content);
    if (Array.isArray(content)) return content.map(erased);
    if (!isJsonObject(content)) return content;
    return Object.fromEntries(Object.entries(content).map(([name, member]) => [erasedText(name), erased(member)]));
  };
  return erased;
}

function replaceAll(text: string, value: string): string {
  const lower = text.toLowerCase();
  // A letter that changes its length in lower case would shift the places.
  if (lower.length !== text.length) return lower.replaceAll(value, ERASED);
  let left = '';
  let from = 0;
  for (let at = lower.indexOf(value); at >= 0; at = lower.indexOf(value, from)) {
    left += text.slice(from, at) + ERASED;
    from = at + value.length;
  }
  return left + text.slice(from);
}
