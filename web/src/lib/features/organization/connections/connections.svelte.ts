import { api, must, type Schema } from '$lib/kit/api/client';
import { i18n, t } from '$lib/kit/i18n/i18n.svelte';

export type Tested = Schema<'ConnectionTestDto'>;
export type Outcome = Schema<'ConnectionOutcomeDto'>;
type State = Schema<'ConnectionStateDto'>;

/** How the last test and the last call of each vendor and server ended. */
export class ConnectionStates {
  private states = $state.raw<readonly State[]>([]);

  constructor(readonly slug: string) {}

  /** A page works without it, so a failure leaves what was known. */
  async load(): Promise<void> {
    try {
      const params = { path: { slug: this.slug } };
      this.states = must(await api.GET('/api/v1/organizations/{slug}/connections', { params })).items;
    } catch {
      // The next test asks again.
    }
  }

  /** The later one of test and call; null while there was neither. */
  last(connection: string): Outcome | null {
    const state = this.states.find((each) => each.connection === connection);
    const outcomes = [state?.tested, state?.used].filter((each) => each !== null && each !== undefined);
    return outcomes.sort((one, other) => other.at.localeCompare(one.at))[0] ?? null;
  }
}

/** Why it failed, in the reader's language. */
export function failureText({ code, status }: Pick<Outcome, 'code' | 'status'>): string {
  if (status !== null && status >= 300 && status < 400) return t('connection.failure.redirect');
  if (status === 404) return t('connection.failure.missing');
  return i18n.maybe(`connection.failure.${code ?? ''}`) ?? t('connection.failure.other');
}

/** Result of a test, in one sentence. */
export function foundText(tested: Tested): string {
  if (tested.models !== null) return i18n.count('connection.found.models', tested.models.length);
  if (tested.dimensions !== null) return t('connection.found.dimensions', { n: i18n.number(tested.dimensions) });
  if (tested.tools !== null) return i18n.count('connection.found.tools', tested.tools.length);
  if (tested.translation !== null) return t('connection.found.translation', { text: tested.translation });
  if (tested.site !== null) return t('connection.found.site', { site: tested.site });
  return tested.collections === null ? '' : i18n.count('connection.found.collections', tested.collections);
}
