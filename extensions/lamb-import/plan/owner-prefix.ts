import type { LambUser } from '../source/lamb-source.types';
import type { PlannedAssistant } from './plan.types';

/** LAMB puts the number of the user before the name: `4_simple_rag`. */
const PREFIXED = /^(\d{1,15})_(?=.*\S)(.*)$/;

/** Removes the number of a user before each name where the rest is unique in the organization. */
export function withoutPrefixes(
  assistants: readonly PlannedAssistant[],
  users: readonly Pick<LambUser, 'id'>[],
): PlannedAssistant[] {
  const ids = new Set(users.map(({ id }) => String(id)));
  const stripped = assistants.map(({ value: { name } }) => {
    const [, id = '', rest = ''] = PREFIXED.exec(name) ?? [];
    return ids.has(id) ? rest : name;
  });
  const wanted = new Map<string, number>();
  for (const name of stripped) wanted.set(name, (wanted.get(name) ?? 0) + 1);
  return assistants.map((assistant, index) => {
    const name = stripped[index] ?? '';
    return wanted.get(name) === 1 ? { ...assistant, name, value: { ...assistant.value, name } } : assistant;
  });
}
