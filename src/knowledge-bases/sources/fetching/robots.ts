/** Product token of this service in robots.txt. */
export const ROBOTS_TOKEN = 'bellwether';

interface Rule {
  readonly allow: boolean;
  readonly pattern: string;
}

/** RFC 9309 §2.2: groups of rules for this service; without one, the groups for `*`. */
export function rulesOf(text: string, token = ROBOTS_TOKEN): readonly Rule[] {
  const own: Rule[] = [];
  const general: Rule[] = [];
  let agents: string[] = [];
  let named = false;
  let inRules = false;
  for (const { key, value } of linesOf(text)) {
    if (key === 'user-agent') {
      if (inRules) agents = [];
      inRules = false;
      agents.push(value.toLowerCase());
      named ||= agents.includes(token);
      continue;
    }
    inRules = true;
    if (value === '') continue;
    const rule = { allow: key === 'allow', pattern: encoded(value) };
    if (agents.includes(token)) own.push(rule);
    if (agents.includes('*')) general.push(rule);
  }
  return named ? own : general;
}

const KEYS = ['user-agent', 'allow', 'disallow'];

function* linesOf(text: string): Generator<{ readonly key: string; readonly value: string }> {
  for (const line of text.split(/\r\n|\n|\r/)) {
    const content = line.split('#', 1)[0] ?? '';
    const at = content.indexOf(':');
    const key = content.slice(0, Math.max(at, 0)).trim().toLowerCase();
    if (KEYS.includes(key)) yield { key, value: content.slice(at + 1).trim() };
  }
}

/** RFC 9309 §2.2.2: the longest matching pattern decides; of two equally long ones, `allow`. */
export function isAllowed(rules: readonly Rule[], url: URL): boolean {
  const path = url.pathname + url.search;
  let best: Rule | null = null;
  for (const rule of rules) {
    if (!matches(rule.pattern, path)) continue;
    const longer = best === null || rule.pattern.length > best.pattern.length;
    if (longer || (rule.allow && rule.pattern.length === best?.pattern.length)) best = rule;
  }
  return best?.allow ?? true;
}

const encoded = (pattern: string): string =>
  pattern.toWellFormed().replace(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text));

/** `*` stands for any text, `$` at the end for the end of the path. Each part is searched once from left to right. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$');
  const parts = (isWhole ? pattern.slice(0, -1) : pattern).split('*');
  const [first = '', ...rest] = parts;
  if (!path.startsWith(first)) return false;
  let at = first.length;
  const last = isWhole ? rest.pop() : undefined;
  for (const part of rest) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  if (!isWhole) return true;
  return last === undefined ? at === path.length : path.length - last.length >= at && path.endsWith(last);
}
