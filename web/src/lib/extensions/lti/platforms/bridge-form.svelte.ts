import { api, must } from '$lib/kit/api/client';
import { ifMatch } from '$lib/kit/api/versions';
import { i18n, t } from '$lib/kit/i18n/i18n.svelte';
import { type Difference, differenceOf } from '$lib/kit/ui/differences';
import { VersionedForm } from '$lib/kit/ui/versioned-form.svelte';
import {
  type Bridge,
  type BridgeChange,
  type BridgeValues,
  changeOf,
  overwritesNothing,
  valuesOf,
} from './bridge-values';

const BRIDGE = '/api/v1/organizations/{slug}/lti/bridge';

/** The form of LTI 1.1 of an organization. */
export class BridgeForm extends VersionedForm<Bridge, BridgeChange> {
  values = $state<BridgeValues>({ enabled: false, until: '', secret: '', clearSecret: false, continuedBy: [] });
  readonly dirty = $derived.by(() => this.saved !== null && Object.keys(changeOf(this.saved, this.values)).length > 0);
  readonly differences = $derived.by((): readonly Difference[] => this.differencesFrom(this.theirs));

  /** `platforms`: names by id, for the comparison with another person's version. */
  constructor(
    readonly slug: string,
    bridge: Bridge,
    private readonly platforms: ReadonlyMap<string, string>,
  ) {
    super();
    this.show(bridge);
  }

  private differencesFrom(theirs: Bridge | null): readonly Difference[] {
    if (theirs === null || this.saved === null) return [];
    const { assistant_secret: _secret, ...change } = changeOf(this.saved, this.values);
    return Object.entries(change).map(([name, mine]) =>
      differenceOf(name, this.textOf(theirs[name as keyof Bridge]), this.textOf(mine)),
    );
  }

  private textOf(value: unknown): string {
    if (typeof value === 'boolean') return t(value ? 'conflict.on' : 'conflict.off');
    if (Array.isArray(value)) return value.map((id) => this.platforms.get(String(id)) ?? String(id)).join('\n');
    return typeof value === 'string' ? i18n.date(value) : '';
  }

  protected body(): BridgeChange {
    return this.saved === null ? {} : changeOf(this.saved, $state.snapshot(this.values));
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

  protected losesNothing(base: Bridge, theirs: Bridge, change: BridgeChange): boolean {
    return overwritesNothing(base, theirs, change);
  }

  protected settle(bridge: Bridge): void {
    this.show(bridge);
  }

  protected show(bridge: Bridge): void {
    this.saved = bridge;
    this.values = valuesOf(bridge);
  }
}
