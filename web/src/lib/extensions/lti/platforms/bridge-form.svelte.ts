import { api, must } from '$lib/kit/api/client';
import { ifMatch } from '$lib/kit/api/versions';
import { i18n, t } from '$lib/kit/i18n/i18n.svelte';
import type { Difference } from '$lib/kit/ui/differences';
import { ValuesForm } from '$lib/kit/ui/versioned-form.svelte';
import { type Bridge, type BridgeChange, type BridgeValues, changeOf, valuesOf } from './bridge-values';

const BRIDGE = '/api/v1/organizations/{slug}/lti/bridge';
const fresh = (): BridgeValues => ({ enabled: false, until: '', secret: '', clearSecret: false, continuedBy: [] });

/** The form of LTI 1.1 of an organization. */
export class BridgeForm extends ValuesForm<Bridge, BridgeValues, BridgeChange> {
  /** `platforms`: names by id, for the comparison with another person's version. */
  constructor(
    readonly slug: string,
    bridge: Bridge,
    platforms: ReadonlyMap<string, string>,
  ) {
    const textOf = (value: unknown): string => {
      if (typeof value === 'boolean') return t(value ? 'conflict.on' : 'conflict.off');
      if (Array.isArray(value)) return value.map((id) => platforms.get(String(id)) ?? String(id)).join('\n');
      return typeof value === 'string' ? i18n.date(value) : '';
    };
    super({ fresh, valuesOf, changeOf: (before, values) => changeOf(before ?? bridge, values), textOf }, bridge);
  }

  protected override differenceAt(name: string, theirs: Bridge, mine: unknown): readonly Difference[] {
    return name === 'assistant_secret' ? [] : super.differenceAt(name, theirs, mine);
  }

  protected create(): Promise<Bridge> {
    return Promise.reject(new Error('The settings of LTI 1.1 are always there'));
  }

  protected async update(_base: Bridge, version: number, body: BridgeChange): Promise<Bridge> {
    const params = { path: { slug: this.slug }, header: ifMatch(version) };
    return must(await api.PATCH(BRIDGE, { params, body }));
  }

  protected async read(): Promise<Bridge> {
    return must(await api.GET(BRIDGE, { params: { path: { slug: this.slug } } }));
  }
}
