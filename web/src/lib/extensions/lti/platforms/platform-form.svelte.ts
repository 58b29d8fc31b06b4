import { api, must, type Schema } from '$lib/kit/api/client';
import { ifMatch } from '$lib/kit/api/versions';
import { t } from '$lib/kit/i18n/i18n.svelte';
import { ValuesForm } from '$lib/kit/ui/versioned-form.svelte';
import {
  changeOf,
  creationOf,
  newPlatform,
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
const FIELDS = {
  fresh: newPlatform,
  valuesOf,
  changeOf: (before: Platform | null, values: PlatformValues): PlatformChange =>
    before === null ? creationOf(values) : changeOf(before, values),
  textOf,
};

/** The form of a learning platform of an organization. */
export class PlatformForm extends ValuesForm<Platform, PlatformValues, PlatformChange> {
  constructor(
    readonly slug: string,
    platform: Platform | null,
  ) {
    super(FIELDS, platform);
  }

  async remove(): Promise<void> {
    if (this.saved === null) return;
    const { id, version } = this.saved;
    await api.DELETE(PLATFORM, { params: { path: { slug: this.slug, id }, header: ifMatch(version) } });
    this.discard();
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
}
