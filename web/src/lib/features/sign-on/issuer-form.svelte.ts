import { api, must } from '$lib/kit/api/client';
import { ifMatch } from '$lib/kit/api/versions';
import { t } from '$lib/kit/i18n/i18n.svelte';
import { type Difference, differenceOf } from '$lib/kit/ui/differences';
import { ValuesForm } from '$lib/kit/ui/versioned-form.svelte';
import {
  changeOf,
  type Issuer,
  type IssuerChange,
  type IssuerValues,
  losesNothing,
  newIssuer,
  repeated,
  valuesOf,
} from './issuer-values';

const ISSUERS = '/api/v1/organizations/{slug}/sign-on/issuers';
const ISSUER = '/api/v1/organizations/{slug}/sign-on/issuers/{key}';
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean') return t(value ? 'conflict.on' : 'conflict.off');
  if (Array.isArray(value)) return value.join('\n');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([name, to]) => `${name} → ${String(to)}`)
    .join('\n');
}

/** The form of an OpenID provider of an organization. */
export class IssuerForm extends ValuesForm<Issuer, IssuerValues, IssuerChange> {
  readonly hasRepeated = $derived.by(() =>
    [this.values.roles, this.values.organizations, this.values.emailDomains].some((rows) => repeated(rows).size > 0),
  );

  constructor(
    readonly slug: string,
    issuer: Issuer | null,
  ) {
    super({ fresh: newIssuer, valuesOf, changeOf, textOf }, issuer);
  }

  async remove(): Promise<void> {
    if (this.saved === null) return;
    const { key, version } = this.saved;
    await api.DELETE(ISSUER, { params: { path: { slug: this.slug, key }, header: ifMatch(version) } });
    this.discard();
  }

  protected override differenceAt(name: string, theirs: Issuer, mine: unknown): readonly Difference[] {
    if (name !== 'client_secret') return super.differenceAt(name, theirs, mine);
    const stored = theirs.client_secret_configured ? 'conflict.secret_theirs' : 'conflict.secret_none';
    return [differenceOf(name, t(stored), t(mine === null ? 'conflict.secret_none' : 'conflict.secret_new'))];
  }

  protected async create(change: IssuerChange, idempotencyKey: string): Promise<Issuer> {
    const { name = '', issuer = '', client_id = '', ...rest } = change;
    const body = { ...rest, key: this.sent.key.trim(), name, issuer, client_id };
    const params = { path: { slug: this.slug }, header: { 'Idempotency-Key': idempotencyKey } };
    return must(await api.POST(ISSUERS, { params, body }));
  }

  protected async update({ key }: Issuer, version: number, body: IssuerChange): Promise<Issuer> {
    const params = { path: { slug: this.slug, key }, header: ifMatch(version) };
    return must(await api.PATCH(ISSUER, { params, body }));
  }

  protected async read({ key }: Issuer): Promise<Issuer> {
    return must(await api.GET(ISSUER, { params: { path: { slug: this.slug, key } } }));
  }

  protected override losesNothing(base: Issuer, theirs: Issuer, change: IssuerChange): boolean {
    return losesNothing(base, theirs, change);
  }
}
