import { api, must, type Schema } from '$lib/kit/api/client';
import { ifMatch } from '$lib/kit/api/versions';
import { t } from '$lib/kit/i18n/i18n.svelte';
import { type Difference, differenceOf, same } from '$lib/kit/ui/differences';
import { VersionedForm } from '$lib/kit/ui/versioned-form.svelte';
import {
  changeOf,
  creationOf,
  newPlatform,
  overwritesNothing,
  type Platform,
  type PlatformChange,
  type PlatformValues,
  valuesOf,
} from './platform-values';

const PLATFORMS = '/api/v1/organizations/{slug}/lti/platforms';
const PLATFORM = '/api/v1/organizations/{slug}/lti/platforms/{id}';
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean') return t(value ? 'conflict.on' : 'conflict.off');
  if (typeof value !== 'object') return String(value);
  return Object.values(value).join('\n');
}

/** The form of a learning platform of an organization. */
export class PlatformForm extends VersionedForm<Platform, PlatformChange> {
  values = $state<PlatformValues>(newPlatform());
  readonly dirty = $derived.by(() => !this.gone && this.isChanged());
  readonly differences = $derived.by((): readonly Difference[] => this.differencesFrom(this.theirs));
  private gone = $state(false);
  /** Values of the request that is on its way. */
  private sent: PlatformValues = newPlatform();

  constructor(
    readonly slug: string,
    platform: Platform | null,
  ) {
    super();
    if (platform !== null) this.show(platform);
  }

  async remove(): Promise<void> {
    if (this.saved === null) return;
    const { id, version } = this.saved;
    await api.DELETE(PLATFORM, { params: { path: { slug: this.slug, id }, header: ifMatch(version) } });
    this.gone = true;
  }

  private isChanged(): boolean {
    return this.saved === null
      ? !same(this.values, newPlatform())
      : Object.keys(changeOf(this.saved, this.values)).length > 0;
  }

  private differencesFrom(theirs: Platform | null): readonly Difference[] {
    if (theirs === null || this.saved === null) return [];
    return Object.entries(changeOf(this.saved, this.values)).flatMap(([name, mine]) => {
      const other = theirs[name as keyof Platform];
      return same(other, mine) ? [] : [differenceOf(name, textOf(other), textOf(mine))];
    });
  }

  protected body(): PlatformChange {
    this.sent = $state.snapshot(this.values);
    return this.saved === null ? creationOf(this.sent) : changeOf(this.saved, this.sent);
  }

  protected async create(_body: PlatformChange, idempotencyKey: string): Promise<Platform> {
    const params = { path: { slug: this.slug }, header: { 'Idempotency-Key': idempotencyKey } };
    return must(await api.POST(PLATFORMS, { params, body: creationOf(this.sent) }));
  }

  protected async update({ id }: Platform, version: number, body: PlatformChange): Promise<Platform> {
    const params = { path: { slug: this.slug, id }, header: ifMatch(version) };
    // The generated type demands members that have a default, also of a change.
    return must(await api.PATCH(PLATFORM, { params, body: body as Schema<'UpdatePlatformDto'> }));
  }

  protected async read({ id }: Platform): Promise<Platform> {
    return must(await api.GET(PLATFORM, { params: { path: { slug: this.slug, id } } }));
  }

  protected losesNothing(base: Platform, theirs: Platform, change: PlatformChange): boolean {
    return overwritesNothing(base, theirs, change);
  }

  /** Shows the platform as the service stored it, and keeps fields that changed during the request. */
  protected settle(platform: Platform): void {
    const now = $state.snapshot(this.values);
    const typed = Object.entries(now).filter(([name, value]) => !same(value, this.sent[name as keyof PlatformValues]));
    this.show(platform);
    this.values = { ...this.values, ...(Object.fromEntries(typed) as Partial<PlatformValues>) };
  }

  protected show(platform: Platform): void {
    this.saved = platform;
    this.values = valuesOf(platform);
  }
}
