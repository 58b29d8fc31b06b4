import { api, must } from '$lib/kit/api/client';
import { codeText } from '$lib/kit/api/reasons';
import { i18n } from '$lib/kit/i18n/i18n.svelte';
import { placeOf } from '$lib/features/pipeline/problems-of-tools';

/** Most functions of one definition that the service checks. */
const CHECKED_AT_ONCE = 100;

/**
 * Why assistants cannot be called, in the reader's language, by id; those that can be are not in it. The service knows it
 * of every assistant, also of those whose definition the reader does not see.
 */
export async function refusals(ids: readonly (string | number)[]): Promise<ReadonlyMap<string | number, string>> {
  const reasons = new Map<string | number, string>();
  for (let start = 0; start < ids.length; start += CHECKED_AT_ONCE) {
    const some = ids.slice(start, start + CHECKED_AT_ONCE);
    const functions = some.map((id) => ({ type: 'assistant', assistant_id: id }));
    const body = { template: '{user_input}', metadata: { assistant_type: 'multi_tool', functions } };
    const { diagnostics } = must(await api.POST('/api/v1/assistants/validate', { body }));
    for (const { severity, code, message, path } of diagnostics) {
      const id = some[placeOf(path)?.index ?? -1];
      if (severity === 'error' && id !== undefined)
        reasons.set(id, i18n.maybe(`functions.refused_${code.replace('.', '_')}`) ?? codeText(code) ?? message);
    }
  }
  return reasons;
}
