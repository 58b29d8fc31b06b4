import { catalogues } from '$lib/app/catalogues/catalogues.svelte';
import type { OrchestratorInfo } from '$lib/app/catalogues/assistant';
import { i18n } from '$lib/kit/i18n/i18n.svelte';
import { humanised } from '$lib/kit/ui/wording';
import type { Rule } from './strategy-rules';

type StrategyText = NonNullable<OrchestratorInfo['texts']['en']>;

/** The service's strategies for reading in place: a strategy that is not loaded yet shows once it is. */
class KnownStrategies {
  private all = $state.raw<readonly OrchestratorInfo[] | null>(null);
  private loading: Promise<void> | null = null;

  of(name: string): OrchestratorInfo | undefined {
    if (this.all === null) this.load();
    return this.all?.find((strategy) => strategy.name === name);
  }

  /** Names of the strategies that heed a setting of tools. */
  reading(rule: Rule): readonly string[] {
    if (this.all === null) this.load();
    return (this.all ?? []).filter(({ reads }) => reads.includes(rule)).map(({ name }) => name);
  }

  private load(): void {
    this.loading ??= catalogues
      .orchestrators()
      .then((all) => {
        this.all = all;
      })
      .catch(() => undefined)
      .finally(() => (this.loading = null));
  }
}

export const strategies = new KnownStrategies();

/** Text in the reader's language, else in English; null where the strategy brings no texts. */
export const strategyText = ({ texts }: Pick<OrchestratorInfo, 'texts'>): StrategyText | null =>
  texts[i18n.locale] ?? texts.en ?? null;

/** A strategy's name in the reader's language; made of its key while its texts are not there. */
export function strategyName(name: string): string {
  const known = strategies.of(name);
  return (known === undefined ? null : strategyText(known)?.name) ?? humanised(name);
}
